package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// manyClients scan beside each other, for so long.
const (
	manyClients  = 200
	clientsScan  = 15 * time.Second
	betweenCalls = 50 * time.Millisecond
)

// clientsPart compares what one client receives with what many receive together, and
// measures a short call beside them.
func clientsPart(ctx context.Context, w *world) error {
	s, err := w.serve(ctx)
	if err != nil {
		return err
	}
	defer func() { _, _ = s.stop() }()
	row := w.table("scanning beside each other", "MB/s", "to one", "requests", "catalog, median", "catalog, 99 of 100 within").Row
	var one float64
	for _, n := range []int{1, manyClients} {
		received, took, err := s.scannedBy(ctx, w.self, n)
		if err != nil {
			return err
		}
		rate := float64(received.Bytes) / 1e6 / clientsScan.Seconds()
		if n == 1 {
			one = rate
		}
		slices.Sort(took)
		row(fmt.Sprintf("%d clients", n), fmt.Sprintf("%.0f", rate), fmt.Sprintf("%.2f", rate/one), strconv.FormatInt(received.Requests, 10),
			milliseconds(took[len(took)/2]), milliseconds(took[len(took)*99/100]))
	}
	return nil
}

// received is what clients got in all.
type received struct{ Bytes, Requests int64 }

// scannedBy runs n clients in a process of their own, and meanwhile measures calls of
// the catalog.
func (s *served) scannedBy(ctx context.Context, self string, n int) (all received, took []time.Duration, err error) {
	cmd := exec.CommandContext(ctx, self, "scans", s.url, s.token, strconv.Itoa(n))
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	if err := cmd.Start(); err != nil {
		return all, nil, err
	}
	for end := time.Now().Add(clientsScan); time.Now().Before(end); time.Sleep(betweenCalls) {
		start := time.Now()
		if _, err = ask(ctx, http.MethodGet, s.url+"/api/v2/catalog", s.token, ""); err != nil {
			break
		}
		took = append(took, time.Since(start))
	}
	if failed := cmd.Wait(); failed != nil {
		err = errors.Join(err, fmt.Errorf("%w: %s", failed, said.String()))
	}
	if err == nil {
		err = json.Unmarshal(out.Bytes(), &all)
	}
	return all, took, err
}

// scans is what the clients do: the same scan with another condition, again and again.
// It prints what they received.
func scans(args []string) error {
	if len(args) != 3 {
		return errors.New("usage: bench scans URL TOKEN CLIENTS")
	}
	n, err := strconv.Atoi(args[2])
	if err != nil {
		return err
	}
	var all struct{ bytes, requests atomic.Int64 }
	end := time.Now().Add(clientsScan)
	var group sync.WaitGroup
	failed := make([]error, n)
	for i := range n {
		group.Go(func() {
			for k := 0; time.Now().Before(end) && failed[i] == nil; k++ {
				body := fmt.Sprintf(`{"table_id":"lines","select":["orderkey","partkey","quantity","price","discount","flag"],"where":"suppkey >= %d","limit":200000}`, (i+k)%500)
				size, err := ask(context.Background(), http.MethodPost, args[0]+"/api/v2/scan", args[1], body)
				all.bytes.Add(size)
				all.requests.Add(1)
				failed[i] = err
			}
		})
	}
	group.Wait()
	if err := errors.Join(failed...); err != nil {
		return err
	}
	text, err := json.Marshal(received{all.bytes.Load(), all.requests.Load()})
	fmt.Println(string(text))
	return err
}

// ask makes a request, reads its answer, and returns its size.
func ask(ctx context.Context, method, url, token, body string) (int64, error) {
	r, err := http.NewRequestWithContext(ctx, method, url, bytes.NewReader([]byte(body)))
	if err != nil {
		return 0, err
	}
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	size, err := io.Copy(io.Discard, resp.Body)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s %s: %s", method, url, resp.Status)
	}
	return size, err
}
