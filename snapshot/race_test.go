package snapshot

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/agnes-data/da/api"
)

// childClaim tries to get a name when it is told to, says how it went, and
// installs if it is told to go on.
func childClaim(args []string) error {
	s, err := Open(args[0])
	if err != nil {
		return err
	}
	in := bufio.NewScanner(os.Stdin)
	fmt.Fprintln(os.Stdout, "ready")
	for told(in) {
		c, err := s.Claim("a", false)
		if err != nil {
			var e *api.Error
			if !errors.As(err, &e) {
				return err
			}
			fmt.Fprintln(os.Stdout, e.Code)
			continue
		}
		fmt.Fprintln(os.Stdout, "won")
		told(in)
		if err := fill(c.Temp(), "won"); err != nil {
			return err
		}
		if _, _, err := c.Install(context.Background(), described("won"), nil); err != nil {
			return err
		}
		c.Release()
		fmt.Fprintln(os.Stdout, "installed")
	}
	return nil
}

func TestOfFiftyProcessesOneGetsTheName(t *testing.T) {
	home := t.TempDir()
	var children []*talker
	for range 50 {
		children = append(children, talk(t, "claim", home))
	}
	for _, c := range children {
		if got := c.hear(t); got != "ready" {
			t.Fatal(got)
		}
	}
	for _, c := range children {
		c.say(t, "go")
	}
	var winner *talker
	for _, c := range children {
		switch got := c.hear(t); {
		case got == "won" && winner == nil:
			winner = c
		case got != string(api.CodeSnapshotBusy):
			t.Errorf("a second one got %q, want busy", got)
		}
	}
	if winner == nil {
		t.Fatal("nobody got the name")
	}
	winner.say(t, "go on")
	if got := winner.hear(t); got != "installed" {
		t.Fatal(got)
	}
	for _, c := range children {
		c.say(t, "go")
		if got := c.hear(t); got != string(api.CodeSnapshotExists) {
			t.Errorf("after the install: %q, want that it exists", got)
		}
		_ = c.in.Close()
	}
	for _, c := range children {
		c.end(t)
	}
	if text, err := read(mustOpen(t, home), "a"); err != nil || text != "won" {
		t.Errorf("installed %q, %v", text, err)
	}
	wantTree(t, home, holding([]string{"a"}, ".used/a"))
}

func TestOfFiftyGoroutinesOneGetsTheName(t *testing.T) {
	s := mustOpen(t, t.TempDir())
	var wg sync.WaitGroup
	claims, errs := make(chan *Claim, 50), make(chan error, 50)
	start := make(chan struct{})
	for range 50 {
		wg.Go(func() {
			<-start
			c, err := s.Claim("a", false)
			if err != nil {
				errs <- err
				return
			}
			claims <- c
		})
	}
	close(start)
	wg.Wait()
	if len(claims) != 1 || len(errs) != 49 {
		t.Fatalf("%d got the name, %d did not", len(claims), len(errs))
	}
	for range 49 {
		wantCode(t, <-errs, api.CodeSnapshotBusy)
	}
	(<-claims).Release()
}

// churnNames are the names that the churning processes fight for.
func churnName(i int) string { return "n" + strconv.Itoa(i) }

// churner makes random changes and checks everything that it sees.
type churner struct {
	s     *Store
	rnd   *rand.Rand
	names int
	slow  time.Duration // the longest install
}

// allowed passes the answers that another's change may lead to.
func allowed(err error, codes ...api.Code) error {
	for _, c := range codes {
		if c.Is(err) {
			return nil
		}
	}
	return err
}

func (c *churner) step() error {
	name := churnName(c.rnd.IntN(c.names))
	switch c.rnd.IntN(10) {
	case 0, 1:
		return allowed(c.fetch(c.s.Claim(name, false)), api.CodeSnapshotExists, api.CodeSnapshotBusy)
	case 2, 3:
		return allowed(c.fetch(c.s.ClaimExisting(name)), api.CodeUnknownSnapshot, api.CodeSnapshotBusy)
	case 4:
		_, err := c.s.Drop(name, func([]Meta) error { return nil })
		return allowed(err, api.CodeUnknownSnapshot, api.CodeSnapshotBusy)
	case 5:
		return c.list()
	case 6:
		_, err := c.s.Prune(PrunePolicy{Auto: true, Quota: 4000}, c.rnd.IntN(2) == 0, nil)
		return err
	case 7:
		again, err := Open(filepath.Dir(c.s.run))
		if err == nil {
			_, err = again.DiskUsage()
		}
		return err
	default:
		return c.read(name, churnName(c.rnd.IntN(c.names)))
	}
}

func (c *churner) fetch(claim *Claim, err error) error {
	if err != nil {
		return err
	}
	defer claim.Release()
	content := strconv.FormatUint(c.rnd.Uint64(), 16)
	if err := fill(claim.Temp(), content); err != nil {
		return err
	}
	start := time.Now()
	_, warnings, err := claim.Install(context.Background(), described(content), func([]Meta) error { return nil })
	c.slow = max(c.slow, time.Since(start))
	if err == nil && len(warnings) > 0 {
		err = fmt.Errorf("warnings: %v", warnings)
	}
	return err
}

func (c *churner) list() error {
	metas, err := c.s.List()
	for _, m := range metas {
		if m.Damage != nil {
			return m.Damage
		}
	}
	return err
}

// read holds two snapshots while others change them, and wants the content to
// be that of the description, twice.
func (c *churner) read(names ...string) error {
	links, err := c.s.Link(names)
	if err != nil {
		return allowed(err, api.CodeUnknownSnapshot)
	}
	defer links.Close()
	if links.Direct {
		return errors.New("no folder of its own for a reader")
	}
	for range 2 {
		for _, m := range links.Metas {
			if text, err := contentOf(links.Path(m.Name)); err != nil || text != m.ContentHash {
				return fmt.Errorf("%s holds %q, %w; described as %q", m.Name, text, err, m.ContentHash)
			}
		}
	}
	return nil
}

// childChurn makes changes from several goroutines.
func childChurn(args []string) error {
	s, err := Open(args[0])
	if err != nil {
		return err
	}
	seed, _ := strconv.ParseUint(args[1], 10, 64)
	steps, _ := strconv.Atoi(args[2])
	errs := make(chan error, 4)
	slow := make(chan time.Duration, 4)
	for g := range uint64(4) {
		go func() {
			c := &churner{s: s, rnd: rand.New(rand.NewPCG(seed, g)), names: 50}
			var err error
			for i := 0; i < steps && err == nil; i++ {
				err = c.step()
			}
			slow <- c.slow
			errs <- err
		}()
	}
	var all error
	var longest time.Duration
	for range 4 {
		longest = max(longest, <-slow)
		all = errors.Join(all, <-errs)
	}
	fmt.Fprintln(os.Stdout, longest)
	return all
}

// churnSteps is how much each goroutine does; SNAPSHOT_TEST_STEPS makes it a
// campaign.
func churnSteps(t *testing.T) string {
	if n := os.Getenv("SNAPSHOT_TEST_STEPS"); n != "" {
		t.Logf("%s steps", n)
		return n
	}
	return "40"
}

// TestNobodyFailsBecauseOfAnother lets processes fetch, refresh, drop, prune,
// list and read fifty names, while two more are killed and started again.
func TestNobodyFailsBecauseOfAnother(t *testing.T) {
	home := t.TempDir()
	steps := churnSteps(t)
	var steady []*talker
	for i := range 4 {
		steady = append(steady, talk(t, "churn", home, strconv.Itoa(i), steps))
	}
	stop, killings := make(chan struct{}), make(chan error, 1)
	go func() {
		defer close(killings)
		for i := 100; ; i++ {
			cmd := child("churn", home, strconv.Itoa(i), "1000000")
			if err := cmd.Start(); err != nil {
				killings <- err
				return
			}
			select {
			case <-stop:
			case <-time.After(time.Duration(20+i%50) * time.Millisecond):
			}
			_ = cmd.Process.Kill()
			if _ = cmd.Wait(); !killed(cmd) {
				killings <- fmt.Errorf("a child failed before it was killed: %v", cmd.ProcessState)
				return
			}
			select {
			case <-stop:
				return
			default:
			}
		}
	}()
	for _, c := range steady {
		t.Log("longest install", c.hear(t))
		c.end(t)
	}
	close(stop)
	if err := <-killings; err != nil {
		t.Error(err)
	}
	s := mustOpen(t, home)
	if err := s.CatchUp(func([]Meta) error { return nil }); err != nil {
		t.Error(err)
	}
	metas, err := s.List()
	if err != nil {
		t.Fatal(err)
	}
	var names, extra []string
	for _, m := range metas {
		names = append(names, m.Name)
		if text, err := contentOf(s.files.LinkPath(m.Name)); err != nil || text != m.ContentHash {
			t.Errorf("%s holds %q, %v; described as %q, %v", m.Name, text, err, m.ContentHash, m.Damage)
		}
	}
	for _, base := range tree(t, home) {
		if name, ok := cutUsed(base); ok && slices.Contains(names, name) {
			extra = append(extra, base)
		}
	}
	wantTree(t, home, holding(names, extra...))
}
