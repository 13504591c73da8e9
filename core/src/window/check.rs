//! The checks behind [`Policy::validate`], a function for each part of a policy.

use alloc::format;
use alloc::string::ToString;
use alloc::vec::Vec;
use core::fmt::Display;

use super::{Limit, MicroMode, Policy, PolicyError, Tail, TriggerRule};
use crate::unit::Tokens;

/// The largest number of tokens a policy may hold: the largest whole number that JavaScript holds exactly.
pub(super) const MOST: Tokens = Tokens((1 << 53) - 1);

impl Policy {
    /// Everything that cannot work, in the order of the fields.
    pub(super) fn check(&self) -> Vec<PolicyError> {
        let mut findings = Findings::default();
        self.check_model(&mut findings);
        self.check_shares(&mut findings);
        self.check_thresholds(&mut findings);
        self.check_micro(&mut findings);
        self.check_summary(&mut findings);
        self.check_restore(&mut findings);
        self.check_guards(&mut findings);
        self.check_knowledge(&mut findings);
        findings.0
    }

    fn check_model(&self, findings: &mut Findings) {
        let most = format!("0 to {MOST}");
        findings.require(
            self.window <= MOST,
            "window",
            self.window,
            &most,
            "set it to the model's window, or to 0 when it is not known",
        );
        let output = self.max_output;
        let advice = "set it to what the model can write in one answer";
        findings.require(
            !output.is_zero() && output <= MOST,
            "maxOutput",
            output,
            format!("1 to {MOST}"),
            advice,
        );
        findings.require(!self.name.trim().is_empty(), "name", "empty", "any text", "give the policy a name");
    }

    /// Every share of the window is at most the window.
    fn check_shares(&self, findings: &mut Findings) {
        let mut limits = alloc::vec![
            ("outputReserve", self.output_reserve),
            ("hysteresis.minSaving", self.hysteresis.min_saving),
            ("micro.from", self.micro.from),
            ("micro.minFreed", self.micro.min_freed),
            ("summary.outputReserve", self.summary.output_reserve),
            ("summary.aim", self.summary.aim),
            ("restore.file", self.restore.file),
            ("restore.filesTotal", self.restore.files_total),
            ("restore.skill", self.restore.skill),
            ("restore.skillsTotal", self.restore.skills_total),
            ("notes.section", self.notes.section),
            ("notes.total", self.notes.total),
            ("notes.firstAfter", self.notes.first_after),
            ("notes.thenEvery", self.notes.then_every),
        ];
        match self.trigger {
            TriggerRule::BelowWindow { output, buffer } => {
                limits.extend([
                    ("trigger.below-window.output", output),
                    ("trigger.below-window.buffer", buffer),
                ]);
            }
            TriggerRule::OnceATurn { at } => limits.push(("trigger.once-a-turn.at", at)),
            TriggerRule::Share { .. } | TriggerRule::Never => {}
        }
        match self.summary.tail {
            Tail::Range { min, max, .. } => {
                limits.extend([("summary.tail.range.min", min), ("summary.tail.range.max", max)]);
            }
            Tail::UserMessages { tokens } => limits.push(("summary.tail.user-messages.tokens", tokens)),
            Tail::Newest { tokens, .. } => limits.push(("summary.tail.newest.tokens", tokens)),
            Tail::TriggerShare { .. } | Tail::Nothing | Tail::NewestThatFit => {}
        }
        if let MicroMode::ProtectNewest { tool_tokens, min_freed, .. } = self.micro.mode {
            limits.extend([
                ("micro.mode.protect-newest.toolTokens", tool_tokens),
                ("micro.mode.protect-newest.minFreed", min_freed),
            ]);
        }
        for (field, Limit { absolute, share_permille }) in limits {
            let advice = "set `absolute` to what the source or your measurement says";
            findings.require(absolute <= MOST, field, absolute, format!("0 to {MOST}"), advice);
            findings.share(field, share_permille.unwrap_or_default());
        }
        findings.share("skills.listPermille", self.skills.list_permille);
        if let Some(oversize) = self.oversize {
            findings.share("oversize.result", oversize.result.share_permille.unwrap_or_default());
            findings.share("oversize.message", oversize.message.share_permille.unwrap_or_default());
            findings.share("oversize.preview", oversize.preview.share_permille.unwrap_or_default());
        }
    }

    /// 0 < target < auto < hard ≤ window, micro at most at the trigger.
    fn check_thresholds(&self, findings: &mut Findings) {
        let target = self.hysteresis.target_permille;
        let advice = "lower it, so that a compaction ends under the trigger with room to spare";
        let sound = (1..=999).contains(&target);
        findings.require(sound, "hysteresis.targetPermille", target, "1 to 999 thousandths", advice);
        let Some(thresholds) = self.thresholds() else { return };
        let hard = thresholds.hard;
        let advice = "lower it, so that the window has room for a prompt";
        let reserve = thresholds.reserve;
        findings.require(!hard.is_zero(), "outputReserve", reserve, "less than the window", advice);
        if let Some(auto) = thresholds.auto.filter(|auto| auto.is_zero() || *auto >= hard) {
            let allowed = format!("1 to {} (below the hard limit)", hard - Tokens(1));
            let advice = "change the trigger's numbers, lower `outputReserve` or take a larger window";
            findings.require(false, "trigger", auto, allowed, advice);
            return;
        }
        let trigger = thresholds.trigger();
        if let Some(micro) = thresholds.micro {
            let allowed = format!("at most {trigger} (the trigger)");
            let advice = "lower it, or set `micro.mode` to off";
            findings.require(micro <= trigger, "micro.from", micro, allowed, advice);
        }
        if sound && !trigger.is_zero() {
            let allowed = "large enough for a target of 1 token";
            let reachable = !thresholds.target.is_zero();
            findings.require(reachable, "window", self.window, allowed, "take a larger window");
        }
    }

    fn check_micro(&self, findings: &mut Findings) {
        let micro = &self.micro;
        if micro.mode == MicroMode::Off {
            return;
        }
        let placeholder = micro.placeholder.chars().count();
        let filled = !micro.placeholder.trim().is_empty();
        let advice = "say in it that the content was cleared: providers refuse empty content";
        findings.require(filled, "micro.placeholder", "empty", "any text", advice);
        findings.require(
            micro.min_chars >= placeholder,
            "micro.minChars",
            micro.min_chars,
            format!("{placeholder} or more (the placeholder's length)"),
            "raise it: clearing a shorter result makes the request larger",
        );
        let keeps = micro.keep_last > 0 || matches!(micro.mode, MicroMode::ProtectNewest { .. });
        let advice = "keep at least the result that the model is about to read";
        findings.require(keeps, "micro.keepLast", micro.keep_last, "1 or more", advice);
        let advice = "name tools that can be run again, or set `micro.mode` to off";
        findings.require(!micro.tools.is_empty(), "micro.tools", "empty", "one tool or more", advice);
        let weighs = micro.mode != MicroMode::WhenItPays || micro.expected_calls > 0;
        let advice = "with no call to come nothing ever pays; set `micro.mode` to off instead";
        findings.require(weighs, "micro.expectedCalls", micro.expected_calls, "1 or more", advice);
    }

    fn check_summary(&self, findings: &mut Findings) {
        let summary = &self.summary;
        let most = summary.output_limit(self.window, Tokens(u64::MAX));
        let aim = summary.length(self.window, Tokens(u64::MAX));
        let sound = !aim.is_zero() && summary.aim.absolute <= summary.output_reserve.absolute;
        let allowed = format!("1 to {most} (`summary.outputReserve`)");
        let advice = "a summary of that length must fit what the summariser may write";
        findings.require(sound, "summary.aim", summary.aim.absolute, allowed, advice);
        if let Some(thresholds) = self.thresholds() {
            let advice = "lower it, so that the summariser's request has room for what it summarises";
            let below = format!("less than {}", self.window);
            let reserve = summary.output_reserve.of(thresholds.window);
            findings.require(reserve < thresholds.window, "summary.outputReserve", reserve, below, advice);
        }
        match summary.tail {
            Tail::Range { min, max, .. } => {
                let ordered = min.absolute <= max.absolute && min.of(self.window) <= max.of(self.window);
                let allowed = format!("at most {} (its max)", max.absolute);
                let advice = "lower `min` or raise `max`, absolute and share";
                findings.require(ordered, "summary.tail.range.min", min.absolute, allowed, advice);
            }
            Tail::TriggerShare { permille } => {
                let advice = "lower it: a tail as large as the trigger leaves nothing to summarise";
                let field = "summary.tail.trigger-share.permille";
                findings.require(permille < 1_000, field, permille, "0 to 999 thousandths", advice);
            }
            Tail::Nothing | Tail::UserMessages { .. } | Tail::Newest { .. } | Tail::NewestThatFit => {}
        }
    }

    fn check_restore(&self, findings: &mut Findings) {
        let restore = &self.restore;
        let advice = "lower it, or raise the total";
        let pairs = [
            ("restore.file", restore.file, restore.files_total),
            ("restore.skill", restore.skill, restore.skills_total),
            ("notes.section", self.notes.section, self.notes.total),
        ];
        for (field, one, all) in pairs {
            let fits = one.absolute <= all.absolute && one.of(self.window) <= all.of(self.window);
            findings.require(
                fits,
                field,
                one.absolute,
                format!("at most {} (its total)", all.absolute),
                advice,
            );
        }
    }

    fn check_guards(&self, findings: &mut Findings) {
        if let Some(oversize) = self.oversize {
            let (result, message) = (oversize.result.chars, oversize.message.chars);
            let advice = "lower it: a message holds its results";
            findings.require(
                result <= message,
                "oversize.result",
                result,
                format!("at most {message}"),
                advice,
            );
            let preview = oversize.preview.absolute;
            let allowed = format!("1 to {result} bytes");
            let sound =
                preview.get() > 0 && usize::try_from(preview.get()).is_ok_and(|bytes| bytes <= result);
            let advice = "a preview must be shorter than what it stands for, and not empty";
            findings.require(sound, "oversize.preview", preview, allowed, advice);
        }
        let reactive = self.reactive;
        let advice = "set it to 200 to drop a fifth at a time, or `reactive.attempts` to 0 to drop nothing";
        let sound = reactive.attempts == 0 || (1..=1_000).contains(&reactive.drop_permille);
        let allowed = "1 to 1000 thousandths";
        findings.require(sound, "reactive.dropPermille", reactive.drop_permille, allowed, advice);
        let failures = self.breaker.failures;
        let advice = "set it to 3; to switch the auto tier off, set `trigger` to never";
        findings.require(failures > 0, "breaker.failures", failures, "1 or more", advice);
        let subagent = self.subagent;
        let advice = "a subagent without a call cannot answer";
        findings.require(
            subagent.iterations > 0,
            "subagent.iterations",
            subagent.iterations,
            "1 or more",
            advice,
        );
        let output = subagent.max_output;
        findings.require(!output.is_zero(), "subagent.maxOutput", output, "1 token or more", advice);
        let marks = self.cache.marks;
        findings.require(marks <= 4, "cache.marks", marks, "0 to 4", "providers refuse a fifth mark");
    }

    fn check_knowledge(&self, findings: &mut Findings) {
        let memory = self.memory;
        let allowed = format!("at most {} (`memory.candidates`)", memory.candidates);
        let advice = "lower it, or raise `memory.candidates`";
        let sound = memory.selected <= memory.candidates;
        findings.require(sound, "memory.selected", memory.selected, allowed, advice);
        let every = self.notes.then_every.absolute;
        let advice = "raise it, so that not every round rewrites the notes";
        findings.require(!every.is_zero(), "notes.thenEvery", every, "1 token or more", advice);
    }
}

/// What was found, in the order of the fields.
#[derive(Default)]
struct Findings(Vec<PolicyError>);

impl Findings {
    fn require(
        &mut self,
        sound: bool,
        field: &'static str,
        value: impl Display,
        allowed: impl Display,
        advice: &str,
    ) {
        if !sound {
            let (value, allowed, advice) = (value.to_string(), allowed.to_string(), advice.to_string());
            self.0.push(PolicyError { field, value, allowed, advice });
        }
    }

    fn share(&mut self, field: &'static str, permille: u32) {
        let advice = "a share is of the window: 1000 is all of it";
        let value = format!("{permille} thousandths of the window");
        self.require(permille <= 1_000, field, value, "0 to 1000 thousandths", advice);
    }
}
