//! Pictures as they are sent: which one fits an answer, and how it is drawn.

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;
use sqlogue::chart::{Chart, Theme};
use utoipa::{IntoParams, ToSchema};

/// The picture that fits an answer.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Picture {
    /// `number`, `bars`, `grouped_bars`, `stacked_bars`, `lines`, `points`, or `table` where none fits.
    pub(crate) kind: &'static str,
    /// What it shows.
    pub(crate) title: String,
    /// Why it is this picture.
    pub(crate) reason: String,
    /// The highest and the lowest of what it shows; null where there is not one of each.
    pub(crate) summary: Option<String>,
    /// What it leaves out, a sentence each.
    pub(crate) notes: Vec<String>,
    /// The picture as Vega-Lite, version 6, with its data; null for a table.
    pub(crate) vega_lite: Option<Json>,
    /// The picture as a drawing (SVG); null for a table.
    pub(crate) svg: Option<String>,
}

impl Picture {
    /// A chart as it is sent.
    pub(crate) fn of(chart: &Chart, look: Look) -> Self {
        Self {
            kind: chart.kind().name(),
            title: chart.title().to_owned(),
            reason: chart.reason().to_owned(),
            summary: chart.summary(),
            notes: chart.notes().to_vec(),
            vega_lite: chart.to_vega_lite(),
            svg: chart.is_picture().then(|| look.draw(chart)),
        }
    }
}

/// How a picture is drawn.
#[derive(Debug, Clone, Copy, Default, Deserialize, ToSchema, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct Look {
    /// Colours for a light or a dark ground, or `auto`: for the one that whoever looks at it prefers.
    #[serde(default)]
    #[param(inline)]
    pub(crate) theme: Appearance,
    /// How wide it is, in pixels; 720 unless set, from 240 to 4,000.
    #[serde(default)]
    pub(crate) width: Option<u32>,
    /// How high it is, in pixels; 360 unless set, from 160 to 4,000.
    #[serde(default)]
    pub(crate) height: Option<u32>,
}

/// In which light a picture is looked at.
#[derive(Debug, Clone, Copy, Default, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Appearance {
    #[default]
    Light,
    Dark,
    /// As whoever looks at it prefers.
    Auto,
}

impl Look {
    /// A chart as a drawing.
    pub(crate) fn draw(self, chart: &Chart) -> String {
        let theme = match self.theme {
            Appearance::Light => Theme::Light,
            Appearance::Dark => Theme::Dark,
            Appearance::Auto => Theme::Auto,
        };
        let width = self.width.unwrap_or(720).clamp(240, 4000);
        let height = self.height.unwrap_or(360).clamp(160, 4000);
        chart.to_svg(theme, width, height)
    }
}
