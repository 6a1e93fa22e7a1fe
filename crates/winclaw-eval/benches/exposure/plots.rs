//! Growth as SVG.

use std::error::Error;
use std::path::Path;

use plotters::prelude::*;

/// One line of a plot.
pub struct Line {
    pub name: &'static str,
    pub points: Vec<(f64, f64)>,
}

const COLOURS: [RGBColor; 2] = [RGBColor(0, 90, 170), RGBColor(200, 90, 20)];

/// Draws `lines` into `file`; `axes` name x and y.
pub fn draw(file: &Path, title: &str, axes: (&str, &str), lines: &[Line]) -> Result<(), Box<dyn Error>> {
    let most = |pick: fn(&(f64, f64)) -> f64| lines.iter().flat_map(|line| &line.points).map(pick).fold(0.0, f64::max);
    let (right, top) = (most(|point| point.0), most(|point| point.1) * 1.05);
    let area = SVGBackend::new(file, (760, 420)).into_drawing_area();
    area.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&area)
        .caption(title, ("sans-serif", 18))
        .margin(12)
        .x_label_area_size(40)
        .y_label_area_size(60)
        .build_cartesian_2d(0.0..right, 0.0..top)?;
    chart.configure_mesh().x_desc(axes.0).y_desc(axes.1).light_line_style(WHITE).draw()?;
    for (line, colour) in lines.iter().zip(COLOURS) {
        let drawn = chart.draw_series(LineSeries::new(line.points.iter().copied(), colour.stroke_width(2)))?;
        drawn.label(line.name).legend(move |(x, y)| PathElement::new([(x, y), (x + 16, y)], colour.stroke_width(2)));
    }
    let labels =
        chart.configure_series_labels().position(SeriesLabelPosition::UpperLeft).background_style(WHITE).draw();
    labels?;
    area.present()?;
    Ok(())
}
