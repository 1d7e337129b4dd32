// Package plot draws a query's result: bars, lines, points and histograms, as
// text for a terminal and as PNG or SVG images. Read takes the rows into a Chart,
// which Text, PNG and SVG draw.
//
// What is drawn is bounded, whatever the result's size: at most 100 bars, 100,000
// points, and for a histogram counts of up to 65,536 values or ranges of them,
// which still count every row. What a chart leaves out it says in its Notes.
//
// Positions are to scale: the axis of a line or of points is one of numbers or
// of time if the column is. Only labels stand at even distances.
//
// The package opens no files and prints nothing, and it knows nothing of SQL.
package plot
