#![allow(dead_code)]
use palimpsest_core::{agent::{Purpose,ToolSpec}, message::ToolCall, provider::{ModelFailure, Reply}, request::Request, unit::Tokens};
pub(crate) const MODEL: &str = "simulated";
pub(crate) struct SimConfig; impl SimConfig { pub(crate) fn new(_: Tokens) -> Self { Self } }
pub(crate) struct SimModel; impl SimModel { pub(crate) fn new(_: SimConfig)->Self{Self} pub(crate) fn reply(&mut self,_:Purpose,_:&Request)->Result<Reply,ModelFailure>{ Err(ModelFailure{kind:palimpsest_core::provider::FailureKind::Other,status:0,message:"shim".into()}) } }
pub(crate) struct SimTools; impl SimTools { pub(crate) fn new()->Self{Self} pub(crate) fn specs()->Vec<ToolSpec>{vec![]} pub(crate) fn run(&mut self,_:&ToolCall)->(String,bool){(String::new(),false)} }
pub(crate) fn system()->Vec<String>{vec![]} pub(crate) fn instructions()->Option<String>{None} pub(crate) fn demo_prompts()->Vec<&'static str>{vec!["Hi"]}
