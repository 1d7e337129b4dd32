package main

import (
	"cmp"
	"container/heap"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"time"

	"github.com/agnes-data/da/internal/lru"
)

// kind is a kind of request, and what one of them takes on average.
type kind struct {
	name   string
	share  float64         // of all requests
	work   time.Duration   // of one processor
	seen   []time.Duration // if measured ones are to be drawn from, in place of work
	writes int             // changes of the state
	result bool            // computed in turns, which leave one processor to the others
	hold   time.Duration   // how long its client takes for the rows
	table  bool            // it needs what is known of its table
}

// world is what is simulated.
type world struct {
	users    int
	daily    float64 // requests of a user
	servers  int
	cores    int // of each server
	write    time.Duration
	writers  int           // changes of the state that are made side by side
	tables   int           // asked for as often as Zipf's law says
	known    int           // tables whose columns a server remembers
	look     time.Duration // how long the source takes to describe a table
	kinds    []kind
	from, to time.Duration // of the day
	flat     bool          // as many requests at night as by day
	seed     uint64
}

// day says how busy each hour of the day is; the average is 1.
var day = []float64{.1, .05, .05, .05, .05, .1, .3, .9, 1.9, 2.4, 2.5, 2.2, 1.5, 1.9, 2.3, 2.2, 1.9, 1.3, .8, .5, .4, .3, .2, .1}

// slice is how long a result is computed at a time, as in server/core/turns.go.
const slice = 100 * time.Millisecond

// outcome is what the simulation measured.
type outcome struct {
	took                map[string][]time.Duration // by kind, sorted
	processors, state   float64                    // how much of them was in use, in the busiest hour
	turns               float64                    // and of those that results may take
	streams             int                        // at most at once on one server
	requests, asked     int                        // of these, how many asked a source first
	busiestHourRequests int
}

// job is a request on its way.
type job struct {
	of     kind
	at     time.Duration // when it came
	left   time.Duration // of its work
	server int
	writes int
}

// station is where jobs wait for one of several places: short ones first, results one
// slice after the other.
type station struct {
	places, results int // of places, those that results may take
	busy, running   int
	short, long     []*job
}

// next takes the job whose turn it is.
func (s *station) next() *job {
	var from *[]*job
	switch {
	case s.busy == s.places:
		return nil
	case len(s.short) > 0:
		from = &s.short
	case len(s.long) > 0 && s.running < s.results:
		from = &s.long
		s.running++
	default:
		return nil
	}
	j := (*from)[0]
	*from = (*from)[1:]
	s.busy++
	return j
}

func (s *station) put(j *job) {
	if j.of.result {
		s.long = append(s.long, j)
	} else {
		s.short = append(s.short, j)
	}
}

// event is something that happens at a time.
type event struct {
	at time.Duration
	n  int // the order among those of one time
	do func()
}

type events []event

func (e events) Len() int { return len(e) }
func (e events) Less(i, j int) bool {
	return cmp.Or(cmp.Compare(e[i].at, e[j].at), cmp.Compare(e[i].n, e[j].n)) < 0
}
func (e events) Swap(i, j int) { e[i], e[j] = e[j], e[i] }
func (e *events) Push(x any)   { *e = append(*e, x.(event)) }
func (e *events) Pop() any {
	last := (*e)[len(*e)-1]
	*e = (*e)[:len(*e)-1]
	return last
}

// run is a simulation under way.
type run struct {
	world
	r       *rand.Rand
	zipf    *rand.Zipf
	coming  events
	n       int
	now     time.Duration
	hosts   []*station
	state   *station
	knows   []*lru.Cache[bool]
	streams []int
	used    [24]struct{ processors, turns, state time.Duration } // by hour
	byHour  [24]int
	out     outcome
}

// simulate runs the world. The same world gives the same outcome.
func simulate(w world) outcome {
	r := rand.New(rand.NewPCG(w.seed, 1))
	s := &run{world: w, r: r, zipf: rand.NewZipf(r, 1.1, 1, uint64(w.tables-1)), now: w.from, streams: make([]int, w.servers),
		state: &station{places: w.writers}, out: outcome{took: map[string][]time.Duration{}}}
	for range w.servers {
		s.hosts = append(s.hosts, &station{places: w.cores, results: max(1, w.cores-1)})
		s.knows = append(s.knows, lru.New[bool](w.known, w.known))
	}
	s.after(s.pause(), s.arrive)
	for len(s.coming) > 0 {
		e := heap.Pop(&s.coming).(event)
		s.now = e.at
		e.do()
	}
	for _, took := range s.out.took {
		slices.Sort(took)
	}
	for hour, u := range s.used {
		length := min(time.Duration(hour+1)*time.Hour, w.to) - max(time.Duration(hour)*time.Hour, w.from)
		if length <= 0 {
			continue
		}
		s.out.processors = max(s.out.processors, float64(u.processors)/float64(length)/float64(w.servers*w.cores))
		s.out.turns = max(s.out.turns, float64(u.turns)/float64(length)/float64(w.servers*s.hosts[0].results))
		s.out.state = max(s.out.state, float64(u.state)/float64(length)/float64(w.writers))
		s.out.busiestHourRequests = max(s.out.busiestHourRequests, s.byHour[hour])
	}
	return s.out
}

func (s *run) after(d time.Duration, do func()) {
	s.n++
	heap.Push(&s.coming, event{s.now + d, s.n, do})
}

func (s *run) some(mean time.Duration) time.Duration {
	return time.Duration(s.r.ExpFloat64() * float64(mean))
}

// work is what a request takes: tables differ.
func (s *run) work(k kind) time.Duration {
	if len(k.seen) > 0 {
		return k.seen[s.r.IntN(len(k.seen))]
	}
	return s.some(k.work)
}

func (s *run) hour() int { return int(s.now/time.Hour) % 24 }

// pause is the time until the next request might come: as in the busiest hour.
func (s *run) pause() time.Duration {
	perDay := float64(s.users) * s.daily
	if !s.flat {
		perDay *= slices.Max(day)
	}
	return s.some(time.Duration(float64(24*time.Hour) / perDay))
}

// arrive lets a request come, whatever has become of those before it.
func (s *run) arrive() {
	if s.now >= s.to {
		return
	}
	s.after(s.pause(), s.arrive)
	if !s.flat && s.r.Float64() > day[s.hour()]/slices.Max(day) {
		return // fewer come than in the busiest hour
	}
	k, at := 0, s.r.Float64()
	for ; k < len(s.kinds)-1 && at > s.kinds[k].share; k++ {
		at -= s.kinds[k].share
	}
	of := s.kinds[k]
	s.out.requests++
	s.byHour[s.hour()]++
	j := &job{of: of, at: s.now, left: s.work(of), server: s.r.IntN(s.servers), writes: of.writes}
	if table := int(s.zipf.Uint64()); of.table {
		known := s.knows[j.server]
		if _, ok := known.Get(strconv.Itoa(table)); !ok {
			known.Put(strconv.Itoa(table), true, 1)
			s.out.asked++
			s.after(s.some(s.look), func() { s.begin(j) })
			return
		}
	}
	s.begin(j)
}

// begin reserves what a result may take, and then computes.
func (s *run) begin(j *job) {
	if j.of.result {
		s.streams[j.server]++
		s.out.streams = max(s.out.streams, s.streams[j.server])
	}
	if j.writes > 1 {
		s.change(j)
		return
	}
	s.hosts[j.server].put(j)
	s.compute(j.server)
}

// change makes one change of the state.
func (s *run) change(j *job) {
	s.state.short = append(s.state.short, j)
	s.changes()
}

func (s *run) changes() {
	for j := s.state.next(); j != nil; j = s.state.next() {
		took := s.some(s.write)
		s.used[s.hour()].state += took
		s.after(took, func() {
			s.state.busy--
			if j.writes--; j.left > 0 {
				s.hosts[j.server].put(j)
				s.compute(j.server)
			} else {
				s.end(j)
			}
			s.changes()
		})
	}
}

// compute gives the places of a server to those whose turn it is.
func (s *run) compute(server int) {
	host := s.hosts[server]
	for j := host.next(); j != nil; j = host.next() {
		took := j.left
		if j.of.result {
			took = min(took, slice)
			s.used[s.hour()].turns += took
		}
		s.used[s.hour()].processors += took
		s.after(took, func() {
			host.busy--
			if j.of.result {
				host.running--
			}
			switch j.left -= took; {
			case j.left > 0:
				host.put(j)
			case j.writes > 0:
				s.change(j)
			default:
				s.end(j)
			}
			s.compute(server)
		})
	}
}

// end answers. A result stays until its client has it.
func (s *run) end(j *job) {
	s.out.took[j.of.name] = append(s.out.took[j.of.name], s.now-j.at)
	if j.of.result {
		s.after(max(0, s.some(j.of.hold)-(s.now-j.at)), func() { s.streams[j.server]-- })
	}
}

// within is the time within which so much of the requests of a kind were answered.
func (o outcome) within(name string, share float64) time.Duration {
	took := o.took[name]
	if len(took) == 0 {
		return 0
	}
	return took[int(math.Ceil(share*float64(len(took))))-1]
}
