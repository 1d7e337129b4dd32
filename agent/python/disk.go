package python

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/guard/sandbox"
	"github.com/agnes-data/da/internal/words/humanize"
)

// What a conversation may have in its working folder, which its runs share.
const (
	defaultDisk = 2000e6
	maxEntries  = 10_000 // files and folders: more take too long to count
)

// maxThreads is how many threads a process may have. No limit of the kernel counts
// those of one process.
const maxThreads = 500

// diskPause is the shortest time between two measurements of the folder and of the
// process. No limit of the kernel bounds them without privileges, so a run can exceed
// them by what it does meanwhile.
const diskPause = 200 * time.Millisecond

// diskMost is the most that a conversation may have on disk.
func (i *Interpreter) diskMost() sandbox.Disk {
	return sandbox.Disk{Bytes: cmp.Or(i.Disk, defaultDisk), Entries: maxEntries}
}

// excess is what a conversation has when that is too much.
type excess struct {
	used sandbox.Disk
	load *sandbox.Load // set if its process takes too much, not its files
	err  error         // the process keeps its files from being counted
}

// measure returns nil if the conversation has no more on disk, and its process no more
// memory and threads, than it may. p is its
// process; nil if it has none.
func (s *Session) measure(p *process) *excess {
	pid := 0
	if p != nil {
		pid = p.cmd.Process.Pid
		load, err := sandbox.Taken(pid)
		if err != nil || load.Over(sandbox.Load{Memory: maxMemory, Threads: maxThreads}) {
			return &excess{load: &load, err: err}
		}
	}
	used, err := sandbox.Used(s.work(), pid, maxFile, s.with.diskMost())
	if err == nil && !used.Over(s.with.diskMost()) {
		return nil
	}
	return &excess{used: used, err: err}
}

// watch measures what a process takes while it lives, also between two calls,
// and kills it if that is too much.
func (s *Session) watch(p *process) {
	defer close(p.watched)
	for {
		began := time.Now()
		if e := s.measure(p); e != nil {
			p.excess.Store(e)
			p.cancel()
			return
		}
		select {
		case <-p.done:
			return
		case <-time.After(max(diskPause, 20*time.Since(began))): // at most a twentieth of a processor
		}
	}
}

// relieve returns nil if the conversation takes no more than it may. Otherwise it ends
// the process, removes what was written since the last call began if that is the excess,
// and returns the error that says so.
func (s *Session) relieve() error {
	p, e := s.running, (*excess)(nil)
	if p != nil {
		e = p.excess.Load()
	}
	if e == nil {
		e = s.measure(p)
	}
	if e == nil {
		return nil
	}
	if p != nil {
		p.end()
		s.running = nil
	}
	if e.load != nil {
		return ended(fmt.Sprintf("the process was ended, and its variables are lost: it had %s of memory and %d threads, and %s and %d are allowed",
			humanize.Bytes(e.load.Memory), e.load.Threads, humanize.Bytes(maxMemory), maxThreads), e.err)
	}
	most := s.with.diskMost()
	what := fmt.Sprintf("%s in %d files and folders", humanize.Bytes(e.used.Bytes), e.used.Entries)
	if e.err != nil {
		what = "what cannot be measured"
	}
	removed, left, err := sandbox.RemoveSince(s.work(), s.since)
	said := fmt.Sprintf("%d files that this call had written or changed were removed, %d from before are kept (%s)", removed.Entries,
		left.Entries, humanize.Bytes(left.Bytes))
	if err != nil || left.Over(most) {
		said = "its files were removed, also those of earlier calls"
		err = errors.Join(os.RemoveAll(s.work()), os.Mkdir(s.work(), 0o700))
	}
	if err != nil {
		said = "not all of its files could be removed"
	}
	return &api.Error{Code: api.CodeTooLarge, Kind: api.KindPythonDisk, Err: errors.Join(e.err, err),
		Message: fmt.Sprintf("Python: the process was ended, and its variables are lost: its working folder had %s, and %s in %d are allowed; %s",
			what, humanize.Bytes(most.Bytes), most.Entries, said),
		Hint: "Write less, delete files when they are not needed any more, or compute it in SQL. " + diskKey + " of the config sets the limit.",
		Details: map[string]any{"used_bytes": e.used.Bytes, "used_files": e.used.Entries, "limit_bytes": most.Bytes, "limit_files": most.Entries,
			"removed_files": removed.Entries, "kept_files": left.Entries}}
}

// diskKey is the key of the config with the limit.
const diskKey = "agent.python_disk_mb"
