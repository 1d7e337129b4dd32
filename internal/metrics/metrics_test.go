package metrics

import (
	"bytes"
	"fmt"
	"math"
	"math/rand"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

// parsed reads figures as Prometheus does.
func parsed(t *testing.T, text []byte) map[string]*dto.MetricFamily {
	t.Helper()
	p := expfmt.NewTextParser(model.LegacyValidation)
	families, err := p.TextToMetricFamilies(bytes.NewReader(text))
	if err != nil {
		t.Fatalf("%v in:\n%s", err, text)
	}
	return families
}

// reference returns what Prometheus' own library would write.
func reference(t *testing.T, collectors ...prometheus.Collector) map[string]*dto.MetricFamily {
	t.Helper()
	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors...)
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	for _, f := range families {
		if _, err := expfmt.MetricFamilyToText(&text, f); err != nil {
			t.Fatal(err)
		}
	}
	return parsed(t, text.Bytes())
}

// compare holds that got has all of want: help, type and labels, and the values
// unless blank removes them.
func compare(t *testing.T, got, want map[string]*dto.MetricFamily, blank func(*dto.Metric)) {
	t.Helper()
	if len(want) == 0 {
		t.Fatal("nothing to compare with")
	}
	show := func(f *dto.MetricFamily) string {
		if f == nil {
			return "nothing"
		}
		var series []string
		for _, m := range f.Metric {
			blank(m)
			series = append(series, strings.Join(strings.Fields(m.String()), " ")) // its spaces are random
		}
		slices.Sort(series)
		return fmt.Sprintf("%s %q\n%s", f.GetType(), f.GetHelp(), strings.Join(series, "\n"))
	}
	for name, w := range want {
		if g, w := show(got[name]), show(w); g != w {
			t.Errorf("%s is\n%s\nwant\n%s", name, g, w)
		}
	}
}

// TestAsPrometheusWritesThem counts the same with Prometheus' own library.
func TestAsPrometheusWritesThem(t *testing.T) {
	var r Registry
	rnd := rand.New(rand.NewSource(1))
	const help = `What a \ and` + "\na line's end do."
	odd := []string{"", "ok", `a "quote"`, `back\slash`, "two\nlines", "é"}
	bounds := []float64{1.0 / 1024, 0.5, 2, 64}
	objectives := map[float64]float64{0.5: 0.05, 0.9: 0.01, 0.99: 0.001}

	counter, gauge := r.Counter("a_total", help, "kind", "user"), r.Gauge("b", "B.")
	histogram, summary := r.Histogram("c_seconds", "C.", bounds, "route"), r.Summary("d_seconds", "D.", objectives)
	r.Counter("never_total", "Without a series.", "kind")
	pCounter := prometheus.NewCounterVec(prometheus.CounterOpts{Name: "a_total", Help: help}, []string{"kind", "user"})
	pGauge := prometheus.NewGauge(prometheus.GaugeOpts{Name: "b", Help: "B."})
	pHistogram := prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "c_seconds", Help: "C.", Buckets: bounds}, []string{"route"})
	pSummary := prometheus.NewSummary(prometheus.SummaryOpts{Name: "d_seconds", Help: "D.", Objectives: objectives})
	for range 2000 {
		label, n := odd[rnd.Intn(len(odd))], float64(rnd.Intn(1<<20)+1)/(1<<12) // sums are exact
		if rnd.Intn(10) == 0 {
			n = bounds[rnd.Intn(len(bounds))]
		}
		counter.Add(n, label, "7")
		pCounter.WithLabelValues(label, "7").Add(n)
		gauge.Add(-n)
		pGauge.Sub(n)
		histogram.Observe(n, label)
		pHistogram.WithLabelValues(label).Observe(n)
		summary.Observe(n)
		pSummary.Observe(n)
	}
	got := parsed(t, r.Text())
	ranks := func(m *dto.Metric) {
		for _, q := range m.GetSummary().GetQuantile() {
			q.Value = nil
		}
	}
	compare(t, got, reference(t, pCounter, pGauge, pHistogram, pSummary), ranks)
	if got["never_total"] != nil {
		t.Error("a name without a series is written")
	}
}

// TestTheProcessItself compares the figures of the runtime and the kernel.
func TestTheProcessItself(t *testing.T) {
	want := reference(t, collectors.NewGoCollector())
	if runtime.GOOS == "linux" {
		want = reference(t, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	}
	got := parsed(t, new(Registry).Text())
	for name, near := range map[string]float64{ // how far both may be apart
		"process_max_fds": 0, "process_start_time_seconds": 0, "process_virtual_memory_max_bytes": 0, "go_sched_gomaxprocs_threads": 0,
		"process_open_fds": 20, "process_cpu_seconds_total": 60, "process_resident_memory_bytes": 1 << 30, "process_virtual_memory_bytes": 1 << 36,
	} {
		if want[name] == nil {
			continue
		}
		value := func(f *dto.MetricFamily) float64 {
			m := f.GetMetric()[0]
			return m.GetGauge().GetValue() + m.GetCounter().GetValue()
		}
		if g, w := value(got[name]), value(want[name]); math.Abs(g-w) > near || g == 0 && w > 1 {
			t.Errorf("%s is %v, want %v", name, g, w)
		}
	}
	for _, name := range []string{"process_network_receive_bytes_total", "go_memstats_heap_objects", "go_goroutines", "go_threads"} {
		if m := got[name].GetMetric(); len(m) == 0 || m[0].GetGauge().GetValue()+m[0].GetCounter().GetValue() == 0 {
			t.Errorf("%s is %v", name, m)
		}
	}
	compare(t, got, want, func(m *dto.Metric) {
		var zero float64
		var none uint64
		switch {
		case m.Gauge != nil:
			m.Gauge.Value = &zero
		case m.Counter != nil:
			m.Counter.Value = &zero
		case m.Summary != nil:
			m.Summary.SampleCount, m.Summary.SampleSum = &none, &zero
			for _, q := range m.Summary.Quantile {
				q.Value = &zero
			}
		}
	})
}

// TestSummariesForget holds that quantiles are of the last ten minutes, and sums of
// all time.
func TestSummariesForget(t *testing.T) {
	now := time.Unix(0, 0)
	var r Registry
	s := r.summary("s", "S.", map[float64]float64{0.5: 0.01}, func() time.Time { return now })
	check := func(what string, median float64, n uint64) {
		t.Helper()
		m := parsed(t, r.Text())["s"].GetMetric()[0].GetSummary()
		got := m.GetQuantile()[0].GetValue()
		if got != median && !(math.IsNaN(got) && math.IsNaN(median)) || m.GetSampleCount() != n {
			t.Errorf("%s: the median is %v of %d, want %v of %d", what, got, m.GetSampleCount(), median, n)
		}
	}
	s.Observe(5)
	check("at once", 5, 1)
	now = now.Add(7 * time.Minute)
	check("seven minutes later", 5, 1)
	for range 100 {
		s.Observe(1)
	}
	check("with newer ones", 1, 101)
	now = now.Add(5 * time.Minute)
	check("without the first", 1, 101)
	now = now.Add(24 * time.Hour)
	check("a day later", math.NaN(), 101)
	s.Observe(3)
	check("after that", 3, 102)
}

// TestCountedByMany counts and writes from many goroutines.
func TestCountedByMany(t *testing.T) {
	var r Registry
	n, h := r.Counter("n_total", "N.", "who"), r.Histogram("h", "H.", []float64{1})
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for i := range 500 {
				n.Add(1, fmt.Sprint(i%3))
				h.Observe(float64(i % 3))
				if i%100 == 0 {
					r.Text()
				}
			}
		})
	}
	wg.Wait()
	got, total := parsed(t, r.Text()), 0.0
	for _, m := range got["n_total"].GetMetric() {
		total += m.GetCounter().GetValue()
	}
	if total != 4000 || got["h"].GetMetric()[0].GetHistogram().GetSampleCount() != 4000 {
		t.Errorf("counted %v and %v", total, got["h"])
	}
}
