package metrics

import (
	"bytes"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// writeRuntime writes the figures of the Go runtime.
func writeRuntime(out *bytes.Buffer) {
	writePauses(out)
	sourced(out, "go_gc_gogc_percent", "/gc/gogc:percent")
	sourced(out, "go_gc_gomemlimit_bytes", "/gc/gomemlimit:bytes")
	gauge := func(name, help string, value float64) { desc{name, help, "gauge"}.single(out, "", value) }
	gauge("go_goroutines", "Number of goroutines that currently exist.", float64(runtime.NumGoroutine()))
	desc{"go_info", "Information about the Go environment.", "gauge"}.single(out, pair("version", runtime.Version()), 1)
	writeMemory(out)
	sourced(out, "go_sched_gomaxprocs_threads", "/sched/gomaxprocs:threads")
	threads, _ := runtime.ThreadCreateProfile(nil)
	gauge("go_threads", "Number of OS threads created.", float64(threads))
}

// sourced writes a gauge under the runtime's own description of it.
func sourced(out *bytes.Buffer, name, source string) {
	read := []metrics.Sample{{Name: source}}
	metrics.Read(read)
	if read[0].Value.Kind() != metrics.KindUint64 {
		return // this version of Go does not have it
	}
	for _, d := range metrics.All() {
		if d.Name == source {
			desc{name, d.Description + " Sourced from " + source + ".", "gauge"}.single(out, "", float64(read[0].Value.Uint64()))
		}
	}
}

// writePauses writes how long garbage collections have stopped the process.
func writePauses(out *bytes.Buffer) {
	stats := debug.GCStats{PauseQuantiles: make([]time.Duration, 5)}
	debug.ReadGCStats(&stats)
	d := desc{"go_gc_duration_seconds", "A summary of the wall-time pause (stop-the-world) duration in garbage collection cycles.", "summary"}
	d.header(out)
	for i, q := range stats.PauseQuantiles {
		sample(out, d.name, pair("quantile", text(float64(i)/4)), q.Seconds())
	}
	sumAndCount(out, d.name, "", stats.PauseTotal.Seconds(), uint64(stats.NumGC))
}

// writeMemory writes the figures of the allocator.
func writeMemory(out *bytes.Buffer) {
	var ms runtime.MemStats
	runtime.ReadMemStats(&ms)
	for _, f := range []struct {
		name, help, kind string
		value            uint64
	}{
		{"alloc_bytes", "Number of bytes allocated in heap and currently in use. Equals to /memory/classes/heap/objects:bytes.", "gauge", ms.Alloc},
		{"alloc_bytes_total", "Total number of bytes allocated in heap until now, even if released already. Equals to /gc/heap/allocs:bytes.", "counter", ms.TotalAlloc},
		{"buck_hash_sys_bytes", "Number of bytes used by the profiling bucket hash table. Equals to /memory/classes/profiling/buckets:bytes.", "gauge", ms.BuckHashSys},
		{"frees_total", "Total number of heap objects frees. Equals to /gc/heap/frees:objects + /gc/heap/tiny/allocs:objects.", "counter", ms.Frees},
		{"gc_sys_bytes", "Number of bytes used for garbage collection system metadata. Equals to /memory/classes/metadata/other:bytes.", "gauge", ms.GCSys},
		{"heap_alloc_bytes", "Number of heap bytes allocated and currently in use, same as go_memstats_alloc_bytes. Equals to /memory/classes/heap/objects:bytes.", "gauge", ms.HeapAlloc},
		{"heap_idle_bytes", "Number of heap bytes waiting to be used. Equals to /memory/classes/heap/released:bytes + /memory/classes/heap/free:bytes.", "gauge", ms.HeapIdle},
		{"heap_inuse_bytes", "Number of heap bytes that are in use. Equals to /memory/classes/heap/objects:bytes + /memory/classes/heap/unused:bytes", "gauge", ms.HeapInuse},
		{"heap_objects", "Number of currently allocated objects. Equals to /gc/heap/objects:objects.", "gauge", ms.HeapObjects},
		{"heap_released_bytes", "Number of heap bytes released to OS. Equals to /memory/classes/heap/released:bytes.", "gauge", ms.HeapReleased},
		{"heap_sys_bytes", "Number of heap bytes obtained from system. Equals to /memory/classes/heap/objects:bytes + /memory/classes/heap/unused:bytes + /memory/classes/heap/released:bytes + /memory/classes/heap/free:bytes.", "gauge", ms.HeapSys},
		{"mallocs_total", "Total number of heap objects allocated, both live and gc-ed. Semantically a counter version for go_memstats_heap_objects gauge. Equals to /gc/heap/allocs:objects + /gc/heap/tiny/allocs:objects.", "counter", ms.Mallocs},
		{"mcache_inuse_bytes", "Number of bytes in use by mcache structures. Equals to /memory/classes/metadata/mcache/inuse:bytes.", "gauge", ms.MCacheInuse},
		{"mcache_sys_bytes", "Number of bytes used for mcache structures obtained from system. Equals to /memory/classes/metadata/mcache/inuse:bytes + /memory/classes/metadata/mcache/free:bytes.", "gauge", ms.MCacheSys},
		{"mspan_inuse_bytes", "Number of bytes in use by mspan structures. Equals to /memory/classes/metadata/mspan/inuse:bytes.", "gauge", ms.MSpanInuse},
		{"mspan_sys_bytes", "Number of bytes used for mspan structures obtained from system. Equals to /memory/classes/metadata/mspan/inuse:bytes + /memory/classes/metadata/mspan/free:bytes.", "gauge", ms.MSpanSys},
		{"next_gc_bytes", "Number of heap bytes when next garbage collection will take place. Equals to /gc/heap/goal:bytes.", "gauge", ms.NextGC},
		{"other_sys_bytes", "Number of bytes used for other system allocations. Equals to /memory/classes/other:bytes.", "gauge", ms.OtherSys},
		{"stack_inuse_bytes", "Number of bytes obtained from system for stack allocator in non-CGO environments. Equals to /memory/classes/heap/stacks:bytes.", "gauge", ms.StackInuse},
		{"stack_sys_bytes", "Number of bytes obtained from system for stack allocator. Equals to /memory/classes/heap/stacks:bytes + /memory/classes/os-stacks:bytes.", "gauge", ms.StackSys},
		{"sys_bytes", "Number of bytes obtained from system. Equals to /memory/classes/total:byte.", "gauge", ms.Sys},
	} {
		desc{"go_memstats_" + f.name, f.help, f.kind}.single(out, "", float64(f.value))
	}
	last := time.Unix(0, int64(ms.LastGC)) //nolint:gosec // nanoseconds since 1970 fit for 200 years more
	desc{"go_memstats_last_gc_time_seconds", "Number of seconds since 1970 of last garbage collection.", "gauge"}.single(out, "", float64(last.UnixNano())/1e9)
}
