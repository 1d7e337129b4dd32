package checks

import (
	"encoding/json"
	"math"
	"strings"

	"github.com/agnes-data/da/internal/engine/profile"
)

// fewest is how many rows tell anything of those to come.
const fewest = 30

// Learn returns what rows that come in place of the described ones are expected to be
// like. It is as wide as such rows differ where nothing is wrong.
func Learn(p *profile.Profile) Table {
	n := float64(p.Rows)
	least, greatest := int64(n/2), int64(math.Ceil(n*1.9))
	t := Table{Checks: []Check{{Rows: &Rows{Min: &least, Max: &greatest}}}}
	if p.Rows < fewest {
		t.Checks[0].Rows = &Rows{Min: new(min(p.Rows, 1))}
		return t
	}
	var filled, all []string
	var rest []Check
	for _, c := range p.Columns {
		all = append(all, c.Name)
		switch share := float64(c.Nulls) / n; {
		case c.Nulls == 0:
			filled = append(filled, c.Name)
		case share < 0.9:
			rest = append(rest, Check{NullShare: &NullShare{c.Name, up(share + 0.03 + 4*math.Sqrt(share/n))}})
		}
		rest = append(rest, learnValues(c, p)...)
	}
	if filled != nil {
		t.Checks = append(t.Checks, Check{NotNull: filled})
	}
	if p.Repeated < 0.3 {
		t.Checks = append(t.Checks, Check{Duplicates: &Duplicates{all, up(1.5*p.Repeated + 0.02)}})
	}
	if s := p.Periods; s != nil {
		if steady := s.Steady(); steady > 0 {
			last := s.All[len(s.All)-1]
			if before := s.All[len(s.All)-2]; 2*last.N < before.N {
				last = before // it has only begun
			}
			t.Checks = append(t.Checks, Check{Periods: &Periods{s.Column, s.Each, last.Start, down(steady / 3)}})
		}
	}
	t.Checks = append(t.Checks, rest...)
	return t
}

// learnValues returns what the values of a column are expected to be.
func learnValues(c profile.Column, p *profile.Profile) (out []Check) {
	values := float64(p.Sampled) * (1 - float64(c.Nulls)/float64(p.Rows))
	kind := profile.KindOf(c.Type)
	if values < fewest {
		return nil
	}
	if c.Top != nil && (kind == profile.Text || kind == profile.Flag) {
		d, rarest := shares(c, values)
		if kind == profile.Text && c.Listed() && rarest >= 5 && len(c.Top) <= 50 {
			accepted := &Accepted{Column: c.Name} // a rare one may have been left out by chance
			for _, v := range c.Top {
				accepted.Values = append(accepted.Values, plain(v.Value))
			}
			out = append(out, Check{Severity: Warn, AcceptedValues: accepted})
		}
		if d != nil {
			out = append(out, Check{Drift: d})
		}
	}
	if kind == profile.Number && !identifies(c, values) {
		if d := ranges(c.Name, c.Bounds, c.Up, values); d != nil {
			out = append(out, Check{Drift: d})
		}
		if b := c.Besides; b != nil && b.N >= 2*fewest { // those that move hide behind the many that do not
			if d := ranges(c.Name, b.Bounds, b.Up, float64(b.N)); d != nil {
				d.Besides = &b.Value
				out = append(out, Check{Drift: d})
			}
		}
		if n := len(c.Bounds); n > 0 && c.Distinct > 10 { // also where one new month of many has another unit
			const far = 30
			low, high := c.Bounds[0], c.Bounds[n-1]
			out = append(out, Check{Range: &Range{c.Name, low - far*(high-low), high + far*(high-low)}})
		}
	}
	return out
}

// identifies reports whether a column looks as if its numbers go on with each row: whole,
// each once, and without large gaps or with as many digits as a time.
func identifies(c profile.Column, values float64) bool {
	fraction := c.Type == "DOUBLE" || c.Type == "FLOAT" || strings.HasPrefix(c.Type, "DECIMAL") && !strings.HasSuffix(c.Type, ",0)")
	if !c.Key || fraction || len(c.Bounds) == 0 {
		return false
	}
	low, high := c.Bounds[0], c.Bounds[len(c.Bounds)-1]
	return low >= 0 && (high-low < 100*values || high > 1e12)
}

// shares are those of the commonest values.
func shares(c profile.Column, of float64) (d *Drift, rarest int64) {
	d = &Drift{Column: c.Name}
	rest := 1.0
	rarest = math.MaxInt64
	for _, v := range c.Top {
		rarest = min(rarest, v.N)
		if s := float64(v.N) / of; s >= 0.02 && len(d.Values) < 20 {
			d.Values, d.Shares = append(d.Values, plain(v.Value)), append(d.Shares, near(s))
			rest -= s
		}
	}
	if len(d.Values) == 0 {
		return nil, rarest
	}
	d.Shares = append(d.Shares, near(max(rest, 0)))
	d.Max = most(len(d.Shares), of)
	return d, rarest
}

// ranges are between different tenths.
func ranges(column string, bounds []float64, ups []int64, of float64) *Drift {
	d := &Drift{Column: column}
	before, last, each := int64(0), len(bounds)-1, max(of/10, 30) // few rows tell of few ranges
	for i := 1; i < last; i++ {
		if up := ups[i]; float64(up-before) >= 0.9*each && of-float64(up) >= 0.9*min(each, of/10) {
			d.Bounds, d.Shares, before = append(d.Bounds, bounds[i]), append(d.Shares, near(float64(up-before)/of)), up
		}
	}
	if d.Bounds == nil {
		return nil
	}
	d.Shares = append(d.Shares, near(float64(ups[last]-before)/of))
	d.Max = most(len(d.Shares), of)
	return d
}

// most is the index that chance does not reach: with as many rows again, it is about
// twice the number of parts by the rows.
func most(parts int, rows float64) float64 { return up(0.25 + 6*float64(parts)/rows) }

func plain(v json.RawMessage) (out any) {
	_ = json.Unmarshal(v, &out) // it was written as JSON
	return out
}

func near(f float64) float64 { return math.Round(f*10000) / 10000 }
func up(f float64) float64   { return min(math.Ceil(f*1000)/1000, 1) }
func down(f float64) float64 { return math.Floor(f*1000) / 1000 }
