// Package plot draws a query's result: bars, lines, points and histograms, as
// text for a terminal and as PNG or SVG images. Read reads the rows into a Chart,
// which Text, PNG and SVG draw.
//
// The size of a plot is limited whatever the result's size: at most 100 bars or
// 100,000 points. A histogram stores counts of up to 65,536 values or ranges,
// which always include every row. Caveats say what a chart leaves out.
//
// Positions are to scale: the axis of a line or of points is numeric or a time
// axis if the column is. Only labels are evenly spaced.
//
// The package opens no files, prints nothing, and knows nothing about SQL.
package plot
