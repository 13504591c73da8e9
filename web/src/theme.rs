//! Light, dark, or as the system has it. `static/theme.js` applies the stored choice before the first paint.

use leptos::prelude::*;

use crate::browser;

const SETTING: &str = "palimpsest.theme";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Theme {
    System,
    Light,
    Dark,
}

impl Theme {
    const ALL: [Self; 3] = [Self::System, Self::Light, Self::Dark];

    const fn key(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }

    const fn label(self) -> &'static str {
        match self {
            Self::System => "As the system",
            Self::Light => "Light",
            Self::Dark => "Dark",
        }
    }

    const fn icon(self) -> &'static str {
        match self {
            Self::System => "M12 3v18M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18",
            Self::Light => {
                "M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8M12 2v2m0 16v2M4.9 4.9l1.4 1.4m11.4 11.4 1.4 1.4M2 12h2m16 0h2M4.9 19.1l1.4-1.4M17.7 6.3l1.4-1.4"
            }
            Self::Dark => "M20 14.5A8.5 8.5 0 0 1 9.5 4 8.5 8.5 0 1 0 20 14.5z",
        }
    }
}

/// Three choices, one of them pressed.
#[component]
pub(crate) fn ThemeToggle() -> impl IntoView {
    let stored = browser::setting(SETTING);
    let initial = Theme::ALL.into_iter().find(|theme| stored.as_deref() == Some(theme.key()));
    let theme = RwSignal::new(initial.unwrap_or(Theme::System));
    Effect::new(move |before: Option<()>| {
        let key = theme.get().key();
        if let Some(root) = document().document_element() {
            let _ = root.set_attribute("data-theme", key);
        }
        if before.is_some() {
            browser::keep_setting(SETTING, key);
        }
    });
    view! {
        <div class="theme" role="group" aria-label="Colours">
            {Theme::ALL
                .map(|choice| {
                    view! {
                        <button
                            type="button"
                            class="icon-button"
                            title=choice.label()
                            aria-label=choice.label()
                            aria-pressed=move || (theme.get() == choice).to_string()
                            on:click=move |_| theme.set(choice)
                        >
                            <svg viewBox="0 0 24 24" class="icon" aria-hidden="true">
                                <path d=choice.icon()></path>
                            </svg>
                        </button>
                    }
                })}
        </div>
    }
}
