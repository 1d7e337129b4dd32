package main

import (
	"math"
	"reflect"
	"testing"
	"time"
)

// one is a world with requests of one kind, that come evenly.
func one(cores int, load float64) world {
	work := 10 * time.Millisecond
	perSecond := load * float64(cores) / work.Seconds()
	return world{users: 1, daily: perSecond * 86400, servers: 1, cores: cores, writers: 1, tables: 100, known: 10, flat: true,
		kinds: []kind{{name: "short", share: 1, work: work}}, to: time.Duration(300_000 / perSecond * float64(time.Second)), seed: 1}
}

// TestTheModelWaitsAsErlangSays holds the simulation against what is known in closed form
// of a queue with several places: how much of them is in use, and how long one waits.
func TestTheModelWaitsAsErlangSays(t *testing.T) {
	for _, cores := range []int{1, 2, 8} {
		for _, load := range []float64{0.3, 0.6, 0.8} {
			w := one(cores, load)
			got := simulate(w)
			a, c := load*float64(cores), float64(cores)
			sum, term := 0.0, 1.0
			for k := range cores {
				sum += term
				term *= a / float64(k+1)
			}
			waits := term / (1 - load) / (sum + term/(1-load)) // Erlang's C
			want := w.kinds[0].work.Seconds() * (1 + waits/(c*(1-load)))
			mean := 0.0
			for _, d := range got.took["short"] {
				mean += d.Seconds() / float64(len(got.took["short"]))
			}
			if math.Abs(mean-want) > 0.06*want || math.Abs(got.processors-load) > 0.02 {
				t.Errorf("%d processors, %.0f %% of them in use: %.4f s, want %.4f; in use %.3f", cores, 100*load, mean, want, got.processors)
			}
		}
	}
}

// TestTheModelKeepsItsPromises: what has been asked has been answered, results leave room
// to short requests, a change of the state is made once, and chance is that of the seed.
func TestTheModelKeepsItsPromises(t *testing.T) {
	w := one(2, 0.9)
	w.to = 10 * time.Minute
	w.daily, w.write, w.look = 12*86400, time.Millisecond, time.Second
	w.kinds = []kind{{name: "short", share: 0.5, work: time.Millisecond, writes: 1},
		{name: "scan", share: 0.5, work: 160 * time.Millisecond, writes: 2, result: true, hold: time.Second, table: true}}
	got := simulate(w)
	if n := len(got.took["short"]) + len(got.took["scan"]); n != got.requests || n < 6500 {
		t.Errorf("%d of %d requests were answered", n, got.requests)
	}
	if p99 := got.within("short", 0.99); p99 > 20*time.Millisecond {
		t.Errorf("99 of 100 short requests beside results took %v", p99)
	}
	if want := 12 * 1.5 * 0.001; math.Abs(got.state-want) > 0.1*want {
		t.Errorf("the state was in use %.4f, want %.4f", got.state, want)
	}
	if got.asked < 300 || got.asked > got.requests/2 || got.streams < 6 {
		t.Errorf("of %d requests %d asked the source; at most %d streams", got.requests, got.asked, got.streams)
	}
	if again := simulate(w); !reflect.DeepEqual(got, again) {
		t.Error("the same seed gave another outcome")
	}
	if w.seed++; reflect.DeepEqual(got, simulate(w)) {
		t.Error("another seed gave the same outcome")
	}
}
