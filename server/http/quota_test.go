package httpapi

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/rows/wire"
	"github.com/agnes-data/da/server/core"
)

// TestQuotaAnswers looks at what a client gets when it may have no more.
func TestQuotaAnswers(t *testing.T) {
	s := newStaffServer(t, "{ max_daily_bytes_per_user: 3000, max_concurrent_per_user: 1, max_result_bytes: 2900 }")
	token := s.user("quinn")
	s.grant(api.NewGrant{User: "quinn", TableID: "staff"})
	s.grant(api.NewGrant{User: "quinn", TableID: "closed"})
	const scan = `{"table_id":"staff","select":["id"]}`
	_, header, _ := s.ask("GET", "/api/v2/catalog", token, "")
	if got := header.Get(wire.HeaderQuotaRemaining); got != "3000" {
		t.Errorf("%s left before anything", got)
	}
	running, err := s.as("quinn").Scan(t.Context(), api.ScanRequest{TableID: "staff", Select: []string{"id"}})
	if err != nil {
		t.Fatal(err)
	}
	status, header, body := s.ask("POST", "/api/v2/scan", token, scan)
	e := errorOf(t, body)
	if status != http.StatusTooManyRequests || e.Code != api.CodeQuota || e.Kind != "concurrent_scans" || header.Get("Retry-After") != "1" ||
		e.Details["current"] != 1.0 || e.Details["limit"] != 1.0 || e.Details["retry_after_seconds"] != 1.0 {
		t.Errorf("a second scan: %d %s", status, body)
	}
	if rows, err := rowsOf(running); err != nil || rows != 120 {
		t.Fatal(rows, err)
	}
	used := running.End().Bytes
	_, header, _ = s.ask("GET", "/api/v2/catalog", token, "")
	if got := header.Get(wire.HeaderQuotaRemaining); got != strconv.FormatInt(3000-used, 10) {
		t.Errorf("%s left after %d of 3000", got, used)
	}
	for status = 200; status == 200; {
		status, header, body = s.ask("POST", "/api/v2/scan", token, scan)
	}
	e = errorOf(t, body)
	wait, _ := strconv.Atoi(header.Get("Retry-After"))
	midnight := time.Now().UTC().Truncate(24 * time.Hour).Add(24 * time.Hour)
	if e.Kind != "daily_bytes" || wait < int(time.Until(midnight).Seconds())-5 || wait > int(time.Until(midnight).Seconds())+5 {
		t.Errorf("at the end of the quota: Retry-After %d, %s", wait, body)
	}
	// A statement has no estimate: it holds what it delivers.
	if status, _, body = s.ask("POST", "/api/query", token, `{"sql":"SELECT count(*) FROM closed"}`); status != 200 {
		t.Errorf("a statement: %d %s", status, body)
	}
	const counted = 8 // bytes of its one number
	q, err := s.over(token).Quota(t.Context())
	if err != nil || q.User != "quinn" || q.Running != 0 || *q.DailyBytesLimit != 3000 || q.ResultBytes > 3000 || (q.ResultBytes-counted)%used != 0 {
		t.Errorf("%+v, %v", q, err)
	}
	if q, err := s.core.As(core.LocalAdmin).Quotas(t.Context()); err != nil || len(q) != 1 {
		t.Errorf("%+v, %v", q, err)
	}
}

// TestAnEstimateThatIsTooLow has a result larger than what was held for it: it
// is delivered whole and counted whole, and the next request pays.
func TestAnEstimateThatIsTooLow(t *testing.T) {
	// The estimate leaves out the bitmap of a column that has NULLs.
	req := api.ScanRequest{TableID: "staff", Select: []string{"pay"}}
	first := newStaffServer(t, "{}")
	est, err := first.core.As(core.LocalAdmin).Estimate(t.Context(), req)
	if err != nil || est.ResultBytes == nil || est.RowsUpperBound == nil {
		t.Fatal(est, err)
	}
	s := newStaffServer(t, fmt.Sprintf("{ max_daily_bytes_per_user: %d }", *est.ResultBytes+1))
	s.user("uma")
	s.grant(api.NewGrant{User: "uma", TableID: "staff"})
	uma := s.as("uma")
	stream, err := uma.Scan(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := rowsOf(stream)
	q, quotaErr := uma.Quota(t.Context())
	if err != nil || quotaErr != nil || rows != 120 || stream.End().Truncated || q.ResultBytes != stream.End().Bytes || q.ResultBytes <= *q.DailyBytesLimit || *q.Remaining.QuotaBytes != 0 {
		t.Errorf("%d rows of %+v, %v; estimated were %d bytes; %+v, %v", rows, stream.End(), err, *est.ResultBytes, q, quotaErr)
	}
	if _, err := uma.Scan(t.Context(), api.ScanRequest{TableID: "staff", Limit: new(int64)}); err != nil {
		t.Errorf("a request for nothing: %v", err)
	}
	if _, err := uma.Scan(t.Context(), req); !overDaily(err) {
		t.Errorf("the next one: %v", err)
	}
}

// TestAQuotaOfNothing is one, not none.
func TestAQuotaOfNothing(t *testing.T) {
	s := newStaffServer(t, "{ max_daily_bytes_per_user: 0 }")
	if status, _, body := s.ask("POST", "/api/v2/scan", s.user("nora"), `{"table_id":"open"}`); status != 429 || errorOf(t, body).Kind != "daily_bytes" {
		t.Errorf("%d %s", status, body)
	}
}

// TestBudgets has requests refused before they run, over HTTP and in process.
func TestBudgets(t *testing.T) {
	s := newStaffServer(t, "{ max_session_bytes: 5000 }")
	token := s.user("bea")
	est, err := s.over(token).Estimate(t.Context(), api.ScanRequest{TableID: "open"})
	if err != nil || est.ScanBytes == nil || *est.ScanBytes == 0 {
		t.Fatal(est, err)
	}
	cost := *est.ScanBytes
	const scan, sql = `{"table_id":"open"}`, `{"sql":"SELECT * FROM open"}`
	for _, c := range []struct {
		path, body, most string
		status           int
	}{
		{"/api/v2/scan", scan, fmt.Sprint(cost), 200}, {"/api/v2/scan", scan, fmt.Sprint(cost - 1), 429}, {"/api/v2/scan", scan, "0", 429},
		{"/api/query", sql, fmt.Sprint(cost), 200}, {"/api/query", sql, fmt.Sprint(cost - 1), 429},
		{"/api/query", `{"sql":"SELECT * FROM open a, open b"}`, fmt.Sprint(cost - 1), 429},
		{"/api/v2/scan/estimate", scan, "0", 200}, {"/api/v2/scan", scan, "-1", 400}, {"/api/v2/scan", scan, "1e9", 400},
	} {
		status, _, body := s.ask("POST", c.path, token, c.body, wire.HeaderMaxScanBytes, c.most)
		if status != c.status || status == 429 && (errorOf(t, body).Code != api.CodeBudget || errorOf(t, body).Kind != "request_bytes") {
			t.Errorf("%s with %s: %d %s", c.path, c.most, status, body)
		}
	}
	zero := int64(0)
	who := core.LocalAdmin
	who.MaxScanBytes = &zero
	if _, err := s.core.As(who).Scan(t.Context(), api.ScanRequest{TableID: "open"}); !api.CodeBudget.Is(err) {
		t.Errorf("in process: %v", err)
	}
	// A conversation pays for each of its requests, until nothing is left.
	budget := fmt.Sprint(3*cost - 1)
	for i, want := range []int{200, 200, 429} {
		status, header, body := s.ask("POST", "/api/v2/scan", token, scan, wire.HeaderSession, "talk-1", wire.HeaderSessionBudget, budget)
		if status != want || want == 429 && errorOf(t, body).Kind != "session_bytes" {
			t.Errorf("request %d: %d %s", i, status, body)
		}
		left := max(3*cost-1-int64(i+1)*cost, cost-1)
		if header.Get(wire.HeaderSessionRemaining) != fmt.Sprint(left) {
			t.Errorf("request %d: %s left, want %d", i, header.Get(wire.HeaderSessionRemaining), left)
		}
	}
	_, header, _ := s.ask("GET", "/api/v2/catalog", token, "", wire.HeaderSession, "talk-2")
	if header.Get(wire.HeaderSessionRemaining) != "5000" {
		t.Errorf("the server's default: %v", header)
	}
	who.MaxScanBytes, who.Session, who.SessionBudget = nil, "mine", &cost
	for i, want := range []bool{true, false} {
		stream, err := s.core.As(who).Scan(t.Context(), api.ScanRequest{TableID: "open"})
		if (err == nil) != want || err != nil && !api.CodeBudget.Is(err) {
			t.Errorf("in process, request %d: %v", i, err)
		}
		if err == nil {
			if _, err := rowsOf(stream); err != nil {
				t.Error(err)
			}
		}
	}
	for _, bad := range [][2]string{{wire.HeaderSession, "a b"}, {wire.HeaderSession, strings.Repeat("a", 129)}, {wire.HeaderClient, "a\tb"}, {wire.HeaderSessionBudget, "x"}} {
		if status, _, body := s.ask("GET", "/api/v2/catalog", token, "", bad[0], bad[1]); status != 400 {
			t.Errorf("%v: %d %s", bad, status, body)
		}
	}
}

// TestPartsOfAFileShareTheQuota has a file taken in many parts at the same
// time: what is on its way counts as used, so that together they get no more
// than the day allows, and it is all counted to the byte.
func TestPartsOfAFileShareTheQuota(t *testing.T) {
	size := func(s *staffServer, user string) api.SyncTable {
		m, err := s.as(user).Manifest(t.Context())
		if err != nil || len(m.Tables) != 1 {
			t.Fatal(m, err)
		}
		return m.Tables[0]
	}
	first := newStaffServer(t, "{}")
	first.user("pat")
	first.grant(api.NewGrant{User: "pat", TableID: "staff"})
	const parts = 16
	bytes := size(first, "pat").Bytes
	most := 3*bytes + bytes/2
	s := newStaffServer(t, fmt.Sprintf("{ max_daily_bytes_per_user: %d, max_concurrent_per_user: 1 }", most))
	token := s.user("pat")
	s.grant(api.NewGrant{User: "pat", TableID: "staff"})
	file := size(s, "pat")
	if file.Bytes != bytes {
		t.Fatalf("%d bytes, then %d", bytes, file.Bytes)
	}
	// Parts that nobody reads yet hold what they may take, and no slot.
	pat := s.as("pat")
	var open []io.ReadCloser
	for i := range 4 {
		part, err := pat.TableData(t.Context(), file, 0, bytes)
		if wanted := i < 3; (err == nil) != wanted || err != nil && !overDaily(err) {
			t.Fatalf("part %d: %v", i, err)
		}
		if err == nil {
			open = append(open, part)
		}
	}
	for _, part := range open {
		if err := part.Close(); err != nil {
			t.Fatal(err)
		}
	}
	var delivered, refused atomic.Int64
	var group sync.WaitGroup
	for i := range parts {
		group.Go(func() {
			from, to := int64(0), bytes-1
			if i%2 == 1 {
				from, to = bytes/3, bytes/2
			}
			status, _, body := s.ask("GET", "/api/sync/tables/staff", token, "", "Range", fmt.Sprintf("bytes=%d-%d", from, to))
			switch {
			case status == http.StatusPartialContent && int64(len(body)) == to-from+1:
				delivered.Add(int64(len(body)))
			case status == http.StatusTooManyRequests:
				refused.Add(1)
			default:
				t.Errorf("%d, %d bytes", status, len(body))
			}
		})
	}
	group.Wait()
	q, err := pat.Quota(t.Context())
	if err != nil || q.ResultBytes != delivered.Load() || q.ResultBytes > most || q.ReservedBytes != 0 || refused.Load() == 0 {
		t.Errorf("%d bytes of %d, %d parts refused: %+v, %v", delivered.Load(), most, refused.Load(), q, err)
	}
	// A conversation pays for its parts, too.
	budget := fmt.Sprint(q.ResultBytes)
	if status, _, body := s.ask("GET", "/api/sync/tables/staff", token, "", "Range", "bytes=0-9", wire.HeaderSession, "talk", wire.HeaderSessionBudget, "9"); status != 429 || errorOf(t, body).Kind != "session_bytes" {
		t.Errorf("beyond a budget of 9: %d %s", status, body)
	}
	if status, header, body := s.ask("GET", "/api/sync/tables/staff", token, "", "Range", "bytes=0-9", wire.HeaderSession, "talk", wire.HeaderSessionBudget, budget); status != 206 {
		t.Errorf("%d %v %s", status, header, body)
	}
}

// overDaily reports whether err refuses what is more than the day's bytes.
func overDaily(err error) bool {
	return errors.Is(err, &api.Error{Code: api.CodeQuota, Kind: "daily_bytes"})
}
