package httpapi

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/client"
	"github.com/agnes-data/da/server/core"
)

// TestLoad has many clients mix all endpoints over loopback: no error but those
// that the rules call for, quotas exact to the byte, memory flat. In short
// here; the whole of it is DA_LOAD_CLIENTS=200 DA_LOAD_SECONDS=60.
func TestLoad(t *testing.T) {
	clients, seconds := loadSetting(t, "DA_LOAD_CLIENTS", 16), loadSetting(t, "DA_LOAD_SECONDS", 2)
	s := newStaffServer(t, "{ max_concurrent_per_user: 3, max_daily_bytes_per_user: 1000000000000, max_result_bytes: 1000000 }")
	const users = 10
	var services [users]*client.Client
	for u := range users {
		name := fmt.Sprintf("load%d", u)
		services[u] = s.over(s.user(name))
		s.grant(api.NewGrant{User: name, TableID: "staff", Columns: []string{"id", "name"}, Rows: "team = 'a'"})
		s.grant(api.NewGrant{User: name, TableID: "staff", Columns: []string{"id", "team"}})
	}
	admin := s.over(s.admin())
	ctx, stop := context.WithTimeout(t.Context(), time.Duration(seconds)*time.Second)
	defer stop()
	l := &load{t: t, delivered: make([]atomic.Int64, users)}
	var group sync.WaitGroup
	for i := range clients {
		group.Add(1)
		go func() {
			defer group.Done()
			rnd := rand.New(rand.NewPCG(7, uint64(i)))
			for ctx.Err() == nil {
				l.one(t.Context(), rnd, i%users, services[i%users], admin)
			}
		}()
	}
	heap := l.watchHeap(ctx)
	group.Wait()
	l.check(s, users)
	t.Logf("%d clients, %d s: %d requests, %d refused for running too many, %d bytes; heap %d MB after a fifth, %d MB at the end",
		clients, seconds, l.requests.Load(), l.refused.Load(), l.total(), heap[0]>>20, heap[len(heap)-1]>>20)
	if last := heap[len(heap)-1]; last > 2*heap[len(heap)/5]+(64<<20) {
		t.Errorf("memory grows: %v", heap)
	}
}

func loadSetting(t *testing.T, name string, short int) int {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return short
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		t.Fatalf("%s: %q", name, text)
	}
	return n
}

// load counts what clients got.
type load struct {
	t                 *testing.T
	requests, refused atomic.Int64
	delivered         []atomic.Int64 // bytes, by user
}

func (l *load) total() (n int64) {
	for i := range l.delivered {
		n += l.delivered[i].Load()
	}
	return n
}

// one makes one request, picked at random.
func (l *load) one(ctx context.Context, rnd *rand.Rand, user int, svc, admin *client.Client) {
	l.requests.Add(1)
	var err error
	var want api.Code // besides none, and too many at a time
	stream := func(s *api.Stream, e error) error {
		if e != nil {
			return e
		}
		defer s.Close()
		for s.Batches.Next() {
		}
		if s.Batches.Err() == nil {
			l.delivered[user].Add(s.End().Bytes)
		}
		return s.Batches.Err()
	}
	switch rnd.IntN(16) {
	case 0:
		_, err = svc.Tables(ctx)
	case 1:
		_, err = svc.Schema(ctx, "staff")
	case 2:
		_, err = svc.Sample(ctx, "staff", 1+rnd.IntN(100))
	case 3:
		_, err = svc.Estimate(ctx, api.ScanRequest{TableID: "staff", Select: []string{"id"}})
	case 4:
		_, err = svc.Quota(ctx)
	case 5:
		_, err = svc.Schema(ctx, "closed")
		want = api.CodeForbidden
	case 6:
		err = stream(svc.Scan(ctx, api.ScanRequest{TableID: "staff", Where: "pay = 1"}))
		want = api.CodeRejected
	case 7:
		err = stream(svc.Query(ctx, api.QueryRequest{SQL: "SELECT count(*), max(id) FROM staff"}))
	case 8:
		err = stream(svc.Query(ctx, api.QueryRequest{SQL: "DROP TABLE staff"}))
		want = api.CodeStatement
	case 9:
		_, err = admin.Quotas(ctx)
	case 10:
		_, err = svc.Search(ctx, api.SearchRequest{Query: "team", Limit: 10})
	case 11:
		_, err = admin.Audit(ctx, api.AuditQuery{TableID: "staff", Limit: 10})
	case 12, 13:
		err = l.part(ctx, rnd, user, svc)
	default:
		err = stream(svc.Scan(ctx, api.ScanRequest{TableID: "staff", Select: []string{"id", "name"}, Where: fmt.Sprintf("id < %d", rnd.IntN(150))}))
	}
	switch {
	case api.CodeQuota.Is(err):
		l.refused.Add(1)
	case want == "" && err != nil, want != "" && !want.Is(err):
		l.t.Errorf("got %v, want %q", err, want)
	}
}

// part takes a part of a synced file, from any place to any other.
func (l *load) part(ctx context.Context, rnd *rand.Rand, user int, svc *client.Client) error {
	list, err := svc.Manifest(ctx)
	if err != nil {
		return err
	}
	file := list.Tables[0]
	from := rnd.Int64N(file.Bytes)
	data, err := svc.TableData(ctx, file, from, 1+rnd.Int64N(file.Bytes-from))
	if err != nil {
		return err
	}
	n, err := io.Copy(io.Discard, data)
	l.delivered[user].Add(n)
	return errors.Join(err, data.Close())
}

// watchHeap measures five times, the last time at the end.
func (l *load) watchHeap(ctx context.Context) (sizes []uint64) {
	deadline, _ := ctx.Deadline()
	step := time.Until(deadline) / 5
	for range 5 {
		timer := time.NewTimer(step)
		select {
		case <-timer.C:
		case <-ctx.Done():
		}
		timer.Stop()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		sizes = append(sizes, m.HeapAlloc)
	}
	return sizes
}

// check compares counters, audit and what arrived.
func (l *load) check(s *staffServer, users int) {
	ctx := context.Background()
	for u := range users {
		name := fmt.Sprintf("load%d", u)
		q, err := s.as(name).Quota(ctx)
		if err != nil || q.ResultBytes != l.delivered[u].Load() || q.ReservedBytes != 0 || q.Running != 0 {
			l.t.Errorf("%s: %d bytes arrived, the quota says %+v, %v", name, l.delivered[u].Load(), q, err)
		}
		sum := int64(0)
		events, err := s.core.As(core.LocalAdmin).Audit(ctx, api.AuditQuery{User: name, Limit: api.MaxAuditRows})
		for _, e := range events {
			if e.Data.ResultBytes != nil {
				sum += *e.Data.ResultBytes
			}
		}
		if err != nil || sum != q.ResultBytes {
			l.t.Errorf("%s: the audit sums to %d, the quota says %d, %v", name, sum, q.ResultBytes, err)
		}
	}
}
