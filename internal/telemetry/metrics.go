package telemetry

import (
	"bufio"
	"bytes"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// family is what one name of Prometheus' format measures.
type family struct {
	name, kind string
	points     []*point // in the order of the text
}

// point is one series of a family.
type point struct {
	labels     []attribute
	value      float64
	sum, count float64
	bounds     []float64 // upper ones of buckets, or the quantiles
	values     []float64 // counts up to each bound, or the values there
}

// metricsOf reads the text of /metrics into the protocol's JSON.
func metricsOf(text []byte, from, now time.Time) []map[string]any {
	families := map[string]*family{}
	lines := bufio.NewScanner(bytes.NewReader(text))
	for lines.Scan() {
		line := lines.Text()
		if rest, ok := strings.CutPrefix(line, "# TYPE "); ok {
			if name, kind, ok := strings.Cut(rest, " "); ok {
				families[name] = &family{name: name, kind: kind}
			}
			continue
		}
		if line != "" && line[0] != '#' {
			take(families, line)
		}
	}
	metrics := []map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(families)) {
		if f := families[name]; len(f.points) > 0 {
			metrics = append(metrics, f.wire(from, now))
		}
	}
	return metrics
}

// take reads one line: name{labels} value.
func take(families map[string]*family, line string) {
	at := strings.LastIndexByte(line, ' ')
	value, err := strconv.ParseFloat(line[at+1:], 64)
	if at < 0 || err != nil || math.IsNaN(value) || math.IsInf(value, 0) { // JSON has no number for these
		return
	}
	name, rest, _ := strings.Cut(line[:at], "{")
	part := ""
	f := families[name]
	for _, end := range []string{"_bucket", "_sum", "_count"} {
		if base, ok := strings.CutSuffix(name, end); ok && f == nil {
			f, part = families[base], end
		}
	}
	if f == nil {
		return
	}
	labels, bound := labelsOf(rest)
	p := f.point(labels)
	switch {
	case part == "_sum":
		p.sum = value
	case part == "_count":
		p.count = value
	case bound != "":
		if b, err := strconv.ParseFloat(bound, 64); err == nil {
			p.bounds, p.values = append(p.bounds, b), append(p.values, value)
		}
	default:
		p.value = value
	}
}

// labelsOf reads labels. It returns the value of le or quantile as bound, not as a label.
func labelsOf(text string) (labels []attribute, bound string) {
	labels = []attribute{}
	for {
		name, rest, ok := strings.Cut(text, "=")
		quoted, err := strconv.QuotedPrefix(rest)
		if !ok || err != nil {
			return labels, bound
		}
		value, _ := strconv.Unquote(quoted) // it is one
		if name = strings.Trim(name, ", "); name == "le" || name == "quantile" {
			bound = value
		} else {
			labels = append(labels, textAttribute(name, value))
		}
		text = rest[len(quoted):]
	}
}

func (f *family) point(labels []attribute) *point {
	for _, p := range f.points {
		if slices.EqualFunc(p.labels, labels, attribute.same) {
			return p
		}
	}
	p := &point{labels: labels}
	f.points = append(f.points, p)
	return p
}

func (f *family) wire(from, now time.Time) map[string]any {
	const cumulative = 2
	points := make([]map[string]any, len(f.points))
	for i, p := range f.points {
		points[i] = map[string]any{"attributes": p.labels, "startTimeUnixNano": nanoseconds(from), "timeUnixNano": nanoseconds(now)}
		switch f.kind {
		case "histogram":
			bounds, counts, before := []float64{}, []string{}, 0.0
			for j, n := range p.values {
				if j < len(p.values)-1 || p.bounds[j] < maxBound {
					bounds = append(bounds, p.bounds[j])
				}
				counts = append(counts, whole(n-before))
				before = n
			}
			if len(counts) == len(bounds) { // the last bucket has no bound
				counts = append(counts, whole(p.count-before))
			}
			maps.Copy(points[i], map[string]any{"count": whole(p.count), "sum": p.sum, "explicitBounds": bounds, "bucketCounts": counts})
		case "summary":
			at := []map[string]any{}
			for j, q := range p.bounds {
				at = append(at, map[string]any{"quantile": q, "value": p.values[j]})
			}
			maps.Copy(points[i], map[string]any{"count": whole(p.count), "sum": p.sum, "quantileValues": at})
		default:
			points[i]["asDouble"] = p.value
		}
	}
	data := map[string]any{"dataPoints": points}
	kind := map[string]string{"counter": "sum", "histogram": "histogram", "summary": "summary"}[f.kind]
	switch kind {
	case "sum":
		data["isMonotonic"] = true
		data["aggregationTemporality"] = cumulative
	case "histogram":
		data["aggregationTemporality"] = cumulative
	case "":
		kind = "gauge"
	}
	return map[string]any{"name": f.name, kind: data}
}

// maxBound is beyond every bound but that of no bound.
const maxBound = 1e300

func whole(n float64) string { return strconv.FormatInt(int64(n), 10) }
