//! Charts as the command line writes them.

use sqlogue::chart::{Chart, Theme};

/// How wide a chart is where nobody knows how wide a line may be.
pub(crate) const PLACES: usize = 100;

/// The pixels of a drawing.
const SIZE: (u32, u32) = (860, 480);

/// As a drawing, dark where whoever looks at it prefers that.
pub(crate) fn svg(chart: &Chart) -> String {
    chart.to_svg(Theme::Auto, SIZE.0, SIZE.1)
}

/// Why there is no picture, where that is what is said in place of one.
pub(crate) fn no_picture(said: &str) -> String {
    match said.strip_prefix("A table: ") {
        Some(why) => format!("No picture: {why}"),
        None => said.to_owned(),
    }
}

/// As Vega-Lite; none for a table.
pub(crate) fn vega_lite(chart: &Chart) -> Option<String> {
    let spec = chart.to_vega_lite()?;
    Some(format!("{spec:#}\n"))
}
