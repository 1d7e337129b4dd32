package metrics

import (
	"bytes"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/beorn7/perks/quantile"
)

// Histogram counts observations by upper bounds.
type Histogram struct {
	v      *vector[counts]
	bounds []float64
}

// counts are the observations of one series.
type counts struct {
	below []uint64 // by the first bound that is not less; the last is for all above
	sum   float64
}

// Histogram adds a histogram with these upper bounds, which must ascend.
func (r *Registry) Histogram(name, help string, bounds []float64, labels ...string) Histogram {
	fresh := func() *counts { return &counts{below: make([]uint64, len(bounds)+1)} }
	return Histogram{bounds: bounds, v: register(r, desc{name, help, "histogram"}, labels, fresh, func(out *bytes.Buffer, name, labels string, c *counts) {
		total := uint64(0)
		for i, n := range c.below {
			total += n
			bound := "+Inf"
			if i < len(bounds) {
				bound = text(bounds[i])
			}
			sample(out, name+"_bucket", join(labels, pair("le", bound)), float64(total))
		}
		sumAndCount(out, name, labels, c.sum, total)
	})}
}

// Observe counts a value in the series with these label values.
func (h Histogram) Observe(value float64, values ...string) {
	i, _ := slices.BinarySearch(h.bounds, value)
	h.v.with(values, func(c *counts) {
		c.below[i]++
		c.sum += value
	})
}

// The quantiles of a summary are of the last ten minutes, in steps of two.
const (
	windows = 5
	step    = 2 * time.Minute
)

// Summary tells quantiles of recent observations.
type Summary struct {
	v   *vector[recent]
	now func() time.Time
}

// recent is a summary's state. Each stream takes all observations. The current one
// is the oldest: it is emptied and becomes the youngest when its time is over.
type recent struct {
	streams [windows]*quantile.Stream
	current int
	until   time.Time
	n       uint64
	sum     float64
}

// Summary adds a summary. The objectives are quantiles, each with its allowed error.
func (r *Registry) Summary(name, help string, objectives map[float64]float64) Summary {
	return r.summary(name, help, objectives, time.Now)
}

func (r *Registry) summary(name, help string, objectives map[float64]float64, now func() time.Time) Summary {
	fresh := func() *recent {
		s := &recent{until: now().Add(step)}
		for i := range s.streams {
			s.streams[i] = quantile.NewTargeted(objectives)
		}
		return s
	}
	var ranks []float64
	for rank := range objectives {
		ranks = append(ranks, rank)
	}
	slices.Sort(ranks)
	v := register(r, desc{name, help, "summary"}, nil, fresh, func(out *bytes.Buffer, name, labels string, s *recent) {
		s.turn(now())
		for _, rank := range ranks {
			value := math.NaN()
			if q := s.streams[s.current]; q.Count() > 0 {
				value = q.Query(rank)
			}
			sample(out, name, join(labels, pair("quantile", text(rank))), value)
		}
		sumAndCount(out, name, labels, s.sum, s.n)
	})
	return Summary{v, now}
}

// turn empties the streams whose time is over.
func (s *recent) turn(now time.Time) {
	for i := 0; now.After(s.until); i++ {
		if i == windows { // all are empty
			s.until = now.Add(step)
			return
		}
		s.streams[s.current].Reset()
		s.current = (s.current + 1) % windows
		s.until = s.until.Add(step)
	}
}

// Observe adds a value.
func (s Summary) Observe(value float64) {
	s.v.with(nil, func(r *recent) {
		r.turn(s.now())
		for _, q := range r.streams {
			q.Insert(value)
		}
		r.n++
		r.sum += value
	})
}

func sumAndCount(out *bytes.Buffer, name, labels string, sum float64, n uint64) {
	sample(out, name+"_sum", labels, sum)
	sample(out, name+"_count", labels, float64(n))
}

func text(f float64) string { return strconv.FormatFloat(f, 'g', -1, 64) }
