package metric

import (
	"fmt"
	"slices"
	"strings"
)

// days returns a SELECT with a row for each day: those of the model's spine, or
// without one from the first to the last day of the table.
func (b *branch) days() string {
	if s := b.c.Spine; s != nil && s.TableID != "" {
		b.c.reads(s.TableID)
		return "SELECT " + as(Quote(s.Day), "day") + "\nFROM " + Quote(s.TableID)
	}
	own := "SELECT " + as(trunc("day", b.timeExpr()), "day") + "\nFROM " + Quote(b.table.TableID)
	return "SELECT " + as(`unnest(generate_series(min("day"), max("day"), INTERVAL 1 DAY))`, "day") + "\nFROM " + nested(own, "t")
}

// ofDay writes the time of an item by the day of a spine.
func ofDay(it item, day string) string {
	if it.at == "day" {
		return as(day, it.column)
	}
	return as(trunc(it.at, day), it.column)
}

// spineTimes are all times that come from the spine: of the result and of conditions.
func (b *branch) spineTimes() (out []item, err error) {
	for _, it := range b.items(false) {
		if !it.ofMetric {
			continue
		}
		if it.own != "" || slices.Index(grains, it.at) < slices.Index(grains, "day") {
			return nil, refuse(fmt.Sprintf("metric '%s' looks at other times, and %s is not a time that it can be asked by", b.asked,
				it.column), "Ask by day, week, month, quarter or year.")
		}
		out = append(out, it)
	}
	return out, nil
}

// accumulated has for each day the aggregate over the days before it, and for a
// longer time that of one of its days.
func (b *branch) accumulated() (string, error) {
	times, err := b.spineTimes()
	if err != nil {
		return "", err
	}
	others := b.items(true)
	rows, err := b.rows(others, "of")
	if err != nil {
		return "", err
	}
	if b.addable() { // far fewer rows to repeat for each day
		rows = "SELECT " + strings.Join(append(quoteAll(append(namesOf(others), "of")), b.partial()...), ", ") + "\nFROM " + nested(rows, "r") +
			groupBy(append(namesOf(others), "of"))
	}
	m := b.cumulative
	on := `r."of" <= s."day"`
	switch {
	case m.Window != nil:
		on += fmt.Sprintf(` AND r."of" > s."day" - INTERVAL %d %s`, m.Window.N, m.Window.Grain)
	case m.ToDate != "":
		on += ` AND r."of" >= ` + trunc(m.ToDate, `s."day"`)
	}
	return b.picked(times, b.beside(times, others, on, rows)), nil
}

// beside joins the rows to the days that they count for.
func (b *branch) beside(times, others []item, on, rows string) string {
	list := []string{as(`s."day"`, "day")}
	for _, it := range times {
		list = append(list, ofDay(it, `s."day"`))
	}
	for _, it := range others {
		list = append(list, "r."+Quote(it.column))
	}
	for _, f := range b.figures {
		list = append(list, "r."+Quote("v"+f.column))
	}
	return "SELECT " + strings.Join(list, ", ") + "\nFROM " + nested(b.days(), "s") + "\nJOIN " + nested(rows, "r") + " ON " + on
}

// picked aggregates by day, and takes one day of each longer time.
func (b *branch) picked(times []item, rows string) string {
	names := namesOf(b.by)
	if slices.ContainsFunc(b.times(), func(it item) bool { return it.at == "day" }) {
		return b.grouped(names, nested(rows, "d")+where(b.texts()))
	}
	daily := b.grouped(append(slices.Clone(names), "day"), nested(rows, "d")+where(b.texts()))
	list := quoteAll(names)
	for _, f := range b.figures {
		pick := map[string]string{"average": "avg(%s)", "last": `last(%s ORDER BY "day")`}[b.cumulative.Pick]
		if pick == "" {
			pick = `first(%s ORDER BY "day")`
		}
		list = append(list, as(fmt.Sprintf(pick, Quote(f.column)), f.column))
	}
	return "SELECT " + strings.Join(list, ", ") + "\nFROM " + nested(daily, "p") + groupBy(names)
}

// addable reports whether aggregates of days can be aggregated again.
func (b *branch) addable() bool {
	return !slices.ContainsFunc(b.figures, func(f figure) bool {
		return !slices.Contains([]string{"sum", "min", "max", "count", "sum_boolean"}, f.agg)
	})
}

// partial aggregates the values of one day, under the names of values.
func (b *branch) partial() []string {
	var list []string
	for _, f := range b.figures {
		list = append(list, as(f.aggregate(), "v"+f.column))
	}
	return list
}

// nests says which grains are whole within which others.
var nests = map[string]string{"day": "day week month quarter year", "week": "week", "month": "month quarter year",
	"quarter": "quarter year", "year": "year"}

// alongSpine takes the values of an earlier time, or has a row for each time also
// where there are no values.
func (b *branch) alongSpine() (string, error) {
	times, err := b.spineTimes()
	if err != nil {
		return "", err
	}
	mine := b.times()
	if len(mine) != 1 {
		return "", refuse(fmt.Sprintf("metric '%s' can be asked by one time only", b.asked), "")
	}
	at, unit, back := mine[0].at, b.use.start, b.use.back
	if back != nil {
		unit = back.Grain
	}
	on := fmt.Sprintf("s.%[1]s = r.%[1]s", Quote(mine[0].column))
	switch {
	case unit == "":
	case !slices.Contains(strings.Fields(nests[at]), unit):
		if back == nil || unit != "day" && unit != "week" {
			return "", refuse(fmt.Sprintf("metric '%s' looks back by the %s, and a %s does not lie within one", b.asked, unit, at),
				"Ask by day, or by a time that does.")
		}
		rows, err := b.rows(b.items(true), "of")
		if err != nil {
			return "", err
		}
		on = fmt.Sprintf(`s."day" - INTERVAL %d %s = r."of"`, back.N, unit)
		return b.grouped(namesOf(b.by), nested(b.beside(times, b.items(true), on, rows), "d")+where(b.texts())), nil
	case back != nil:
		on = fmt.Sprintf("s.%[1]s - INTERVAL %[2]d %[3]s = r.%[1]s", Quote(mine[0].column), back.N, unit)
	default:
		on = trunc(unit, "s."+Quote(mine[0].column)) + " = r." + Quote(mine[0].column)
	}
	return b.matched(times, mine[0], on)
}

// matched joins the times of the spine to the aggregates of theirs or another time.
// Conditions on the time are about the spine's.
func (b *branch) matched(times []item, time item, on string) (string, error) {
	every := b.use.back == nil && b.use.start == ""
	var ofTime, ofRows []string
	for _, c := range b.filters {
		timed := slices.ContainsFunc(c.items, func(it item) bool { return it.ofMetric })
		if timed && slices.ContainsFunc(c.items, func(it item) bool { return !it.ofMetric }) {
			return "", refuse(fmt.Sprintf("metric '%s' looks at other times, and the condition %s is on times and on other dimensions",
				b.asked, c.text), "Divide it with AND.")
		}
		if timed {
			ofTime = append(ofTime, c.text)
		}
		if !timed || every {
			ofRows = append(ofRows, c.text)
		}
	}
	var list []string
	for _, it := range times {
		list = append(list, ofDay(it, Quote("day")))
	}
	spine := "SELECT DISTINCT " + Quote(time.column) + "\nFROM " + nested("SELECT "+strings.Join(list, ", ")+"\nFROM "+nested(b.days(), "s"),
		"s") + where(ofTime)
	rows, err := b.rows(b.items(false), "")
	if err != nil {
		return "", err
	}
	names := namesOf(b.by)
	out, kind := []string{}, "\nJOIN "
	if every {
		kind = "\nLEFT JOIN "
	}
	for _, name := range names {
		from := "r."
		if name == time.column {
			from = "s."
		}
		out = append(out, from+Quote(name))
	}
	for _, f := range b.figures {
		out = append(out, "r."+Quote(f.column))
	}
	return "SELECT " + strings.Join(out, ", ") + "\nFROM " + nested(spine, "s") + kind +
		nested(b.grouped(names, nested(rows, "r")+where(ofRows)), "r") + " ON " + on, nil
}
