use std::string::String;
use std::vec;
use std::vec::Vec;

use proptest::prelude::*;

use super::*;

const PROFILES: [Profile; 2] = [Profile::O200k, Profile::Claude];

fn count(profile: Profile, text: &str) -> u64 {
    Estimator::new(profile).text(text).0
}

/// Own texts with their exact counts: `o200k_base`, then Claude 3 to 4.6.
#[rustfmt::skip]
const EXACT: [(&str, &str, u64, u64); 15] = [
    ("English", "The window fills from the top: first the instructions, then the tools, then everything that was said. When it is nearly full, old results are cleared, and what remains is summarised, so that the conversation can go on without losing what matters.", 51, 51),
    ("Rust", "pub fn total(&self) -> Tokens {\n    self.parts\n        .iter()\n        .filter(|part| !part.is_empty())\n        .map(|part| part.tokens())\n        .sum()\n}\n\n#[test]\nfn empty_is_zero() {\n    assert_eq!(Ledger::default().total(), Tokens(0));\n}\n", 66, 89),
    ("JSON", "{\"command\":\"grep -rn \\\"fn main\\\" src/\",\"timeout\":120000,\"description\":\"Find every entry point\",\"env\":{\"RUST_LOG\":\"debug\",\"PATH\":\"/usr/local/bin:/usr/bin\"},\"files\":[\"src/main.rs\",\"src/lib.rs\",\"tests/end_to_end.rs\"],\"retry\":false,\"limit\":null}", 69, 84),
    ("listing", "-rw-r--r-- 1 root root  4096 Dec  1 03:24 Cargo.toml\n-rw-r--r-- 1 root root 12856 Dec  1 02:47 calibration.rs\ndrwxr-xr-x 2 root root  4096 Dec  1 03:24 estimate\n-rw-r--r-- 1 root root  8060 Dec  1 03:24 media.rs\n", 99, 117),
    ("Russian", "Окно заполняется сверху: сначала указания, потом инструменты, потом всё, что было сказано. Когда места почти не остаётся, старые результаты стираются, а остальное пересказывается коротко, чтобы разговор мог продолжаться.", 52, 84),
    ("Belarusian", "Акно запаўняецца зверху: спачатку ўказанні, потым інструменты, потым усё, што было сказана. Калі месца амаль не застаецца, старыя вынікі сціраюцца, а астатняе пераказваецца коратка, каб размова магла працягвацца.", 70, 96),
    ("Chinese", "窗口从上到下逐渐填满：先是指令，然后是工具，最后是所有说过的话。当空间快要用完时，旧的结果会被清除，其余内容会被总结，这样对话就可以继续下去，而不会丢失重要的信息。", 62, 88),
    ("Japanese", "ウィンドウは上から順に埋まっていきます。最初に指示、次にツール、そして会話の内容です。残りが少なくなると、古い結果は消され、残りは要約されるので、大切なことを失わずに会話を続けられます。", 76, 82),
    ("Korean", "창은 위에서부터 채워집니다. 먼저 지시 사항, 그다음 도구, 그리고 지금까지 나눈 모든 대화가 들어갑니다. 공간이 거의 다 차면 오래된 결과는 지워지고 나머지는 요약되어 대화를 계속할 수 있습니다.", 60, 114),
    ("Arabic", "تمتلئ النافذة من الأعلى: أولا التعليمات، ثم الأدوات، ثم كل ما قيل. وعندما تكاد تمتلئ تمحى النتائج القديمة ويلخص الباقي حتى يستمر الحوار دون أن يضيع ما هو مهم.", 54, 108),
    ("Hindi", "खिड़की ऊपर से भरती है: पहले निर्देश, फिर उपकरण, फिर वह सब जो कहा गया। जब जगह लगभग समाप्त हो जाती है, तब पुराने परिणाम हटा दिए जाते हैं और बाकी का सारांश बना दिया जाता है, ताकि बातचीत चलती रहे।", 55, 129),
    ("emoji", "✅ done 🚀 shipped ❌ failed ⚠️ careful 🔧 fixing 📦 packed 🐛 bug 🔥 hot 💡 idea 👩‍💻 coding 🇧🇾 🇺🇦 🎉🎉🎉 ⭐ star 👍 ok\n", 53, 96),
    ("base64", "iVBORw0KGgoAAAANSUhEUgAABQAAAALQCAYAAADPfd1WAAAgAElEQVR4nOzdd3xUVf7/8fe9kwQIJQmhhN5CERBQioCKgmJBbNjWXte26+qqa9nVdXXV1V3b6rq2tS323rGgYsGCoqAUAaWXhBASEgIhZDL3/P6YzDAzmZlMEvD7++7+Pl0", 117, 147),
    ("hex", "5feceb66ffc86f38d952786c6d696c79c2dbc239dd4e91b46729d73a27fb57e96b86b273ff34fce19d6b804eff5a3f5747ada4eaa22f1d49c01e52ddb7875b4bd4735e3a265e16eee03f59718b9b5d03019c07d8b6c51f90da3a666eec13ab35", 114, 121),
    ("numbers", "636021,155524,12451,51198\n407768,3.14159,2025-11-30,0.000125\n17,1024,65536,4294967296\n", 45, 45),
];

#[test]
fn a11_own_texts_of_every_script_are_close() {
    for (name, text, o200k, claude) in EXACT {
        for (profile, exact) in [(Profile::O200k, o200k), (Profile::Claude, claude)] {
            let estimate = count(profile, text);
            assert!(
                estimate.abs_diff(exact) * 100 <= exact * 15 + 200,
                "{name} {profile:?}: {estimate} of {exact}"
            );
        }
    }
}

/// Exact counts of real texts, none of which the weights were fitted to, where the corpus lies beside the project.
#[test]
fn a11_unseen_texts_stay_within_the_stated_error() {
    let corpus = concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/corpus/tokens.json");
    let Ok(json) = std::fs::read_to_string(corpus) else { return };
    let corpus: serde_json::Value = serde_json::from_str(&json).unwrap();
    for (profile, key) in [(Profile::O200k, "o200k_base"), (Profile::Claude, "claude3_4_6_ctok")] {
        let mut errors: Vec<u64> = corpus["samples"]
            .as_array()
            .unwrap()
            .iter()
            .map(|sample| {
                let exact = sample[key].as_u64().unwrap();
                1000 * count(profile, sample["text"].as_str().unwrap()).abs_diff(exact) / exact
            })
            .collect();
        errors.sort_unstable();
        let p90 = errors[errors.len() * 9 / 10];
        assert!(p90 <= 80, "{profile:?}: 90th percentile {p90} in thousandths");
    }
}

#[test]
fn names_are_stable() {
    assert_eq!(serde_json::to_value(Profile::O200k).unwrap(), "o200k");
    assert_eq!(serde_json::to_value(Estimator::default()).unwrap(), "claude");
}

#[test]
fn a7_empty_is_free_and_nothing_else_is() {
    for profile in PROFILES {
        assert_eq!(count(profile, ""), 0);
        for text in [" ", "\n", "a", "0", "\u{200B}", "漢", "🇧🇾", "\0"] {
            assert!(count(profile, text) >= 1, "{text:?}");
        }
    }
}

/// Text as it occurs: words of several scripts, numbers, code, blanks, symbols and noise.
fn texts() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        "[a-z]{1,12} ",
        "[A-Z][a-z]{2,9}[A-Z][a-z]{1,8}",
        "[0-9]{1,9}",
        "[ \t\n]{1,12}",
        "[-=_{}()\":,./<>]{1,6}",
        "[A-Za-z0-9+/]{20,80}",
        "[а-яё]{1,12} ",
        "[一-鿿]{1,8}",
        "[ا-ي]{2,8} ",
        "[क-ह]{2,6}",
        "[🌀-🗿]{1,3}",
        any::<String>(),
    ];
    prop::collection::vec(part, 0..24).prop_map(|parts| parts.concat())
}

proptest! {
    #[test]
    fn a7_cost_never_falls_when_text_is_appended(a in texts(), b in texts()) {
        for profile in PROFILES {
            prop_assert!(count(profile, &(a.clone() + &b)) >= count(profile, &a));
        }
    }

    #[test]
    fn a7_cost_is_additive_within_the_seam(a in texts(), b in texts()) {
        for profile in PROFILES {
            let (joined, apart) = (count(profile, &(a.clone() + &b)), count(profile, &a) + count(profile, &b));
            prop_assert!(joined.abs_diff(apart) <= Estimator::SEAM.0, "{joined} {apart}");
        }
    }

    #[test]
    fn a13_no_text_costs_more_than_a_few_tokens_a_character(text: String) {
        for profile in PROFILES {
            prop_assert!(count(profile, &text) <= 1 + 12 * text.chars().count() as u64);
        }
    }
}
