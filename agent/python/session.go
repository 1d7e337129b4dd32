package python

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/guard/sandbox"
)

//go:embed harness.py
var harness string

// Bounds of a process.
const (
	maxMemory   = 2 << 30
	maxFile     = 1 << 30
	maxCPU      = 15 * time.Minute
	maxAnswer   = 4 << 20 // bytes of an answer's line
	maxComplain = 4 << 10 // maximum bytes kept of the stderr of a dying process
)

// Result is the result of running code.
type Result struct {
	// Mark is that of the request.
	Mark string `json:"mark,omitempty"`
	// Kind is table, text, none or error.
	Kind     string            `json:"kind"`
	Text     string            `json:"text,omitempty"`
	Printed  string            `json:"printed,omitempty"`
	Columns  []string          `json:"columns,omitempty"`
	Head     [][]any           `json:"head,omitempty"` // the first rows of a table
	RowCount int64             `json:"row_count,omitempty"`
	Dtypes   map[string]string `json:"dtypes,omitempty"`
	// Pruned names data frames that were dropped, since all took over 500 MB.
	Pruned []string `json:"pruned,omitempty"`
	// Types and Rows are those of a data frame for the user.
	Types []string            `json:"types,omitempty"`
	Rows  [][]json.RawMessage `json:"rows,omitempty"`
	// Restarted says that the process is a new one, without earlier variables.
	Restarted bool `json:"restarted,omitempty"`
	// Caveats are those of the data set that was loaded, or of all data sets that a
	// frame may come from.
	Caveats []api.Caveat `json:"caveats,omitempty"`
	// FileCalls counts the calls of tools for files.
	FileCalls map[string]int `json:"file_calls,omitempty"`
}

// request is a request to the harness.
type request struct {
	Mark    string       `json:"mark"` // the answer has it, too
	Code    string       `json:"code,omitempty"`
	Path    string       `json:"path,omitempty"`
	Reader  string       `json:"reader,omitempty"`
	Name    string       `json:"df_name,omitempty"`
	Columns []string     `json:"columns,omitempty"`
	Types   []string     `json:"types,omitempty"`
	Rows    int64        `json:"rows,omitempty"`
	Frame   string       `json:"frame,omitempty"`
	caveats []api.Caveat // of the data set that is loaded
	// Files are the tools for files that the code can call, with their arguments.
	Files map[string][]string `json:"files,omitempty"`
	files *fileCalls
}

// Session is the Python of one conversation. Its calls run one after the other.
type Session struct {
	with *Interpreter
	dir  string
	// enter is called before a process starts, which it can refuse, and leave when
	// it has ended; nil if there is no bound.
	enter func() error
	leave func()

	mu      sync.Mutex
	running *process
	begun   bool
	since   sandbox.Moment // when the last call began
	// known are the caveats of all data sets that were loaded: what is computed from
	// them has them, too.
	known []api.Caveat
}

// process is a running interpreter.
type process struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Scanner
	said   *tail
	cancel context.CancelFunc
	left   func() // called when it has ended

	done    <-chan struct{} // closed when it is to end
	watched chan struct{}   // closed when it is not measured any more
	excess  atomic.Pointer[excess]
}

// Open returns a session that works in its own folder, which the caller has
// created and removes. The first call starts the process.
func (i *Interpreter) Open(dir string) (*Session, error) {
	s := &Session{with: i, dir: dir}
	for _, d := range []string{s.work(), s.Data()} {
		if err := os.Mkdir(d, 0o700); err != nil && !errors.Is(err, os.ErrExist) {
			return nil, err
		}
	}
	return s, nil
}

// work returns the folder that the code can write to.
func (s *Session) work() string { return filepath.Join(s.dir, "work") }

// Data returns the folder with the data that the code can read. The caller puts
// the data there.
func (s *Session) Data() string { return filepath.Join(s.dir, "data") }

// Run runs code. An error in the code is part of the Result; Run returns an error
// if the process died, was stopped with ctx, or could not be started. The next
// call starts a new process.
func (s *Session) Run(ctx context.Context, code string) (*Result, error) {
	return s.ask(ctx, request{Code: code})
}

// Load reads a data set in Data into a variable: all of it, some columns, or the
// first rows.
func (s *Session) Load(ctx context.Context, at Placed, name string, columns []string, rows int64) (*Result, error) {
	r := request{Path: filepath.Join(s.Data(), at.Base), Reader: s.with.reader(), Name: name, Columns: columns, Rows: rows}
	if len(at.Types) > 0 {
		r.Reader, r.Columns, r.Types = "lines", at.Columns, at.Types
	}
	r.caveats = at.Caveats
	return s.ask(ctx, r)
}

// Resumed says that the conversation has run code before, in another process: the
// model is told that its variables are gone.
func (s *Session) Resumed() { s.begun = true }

// Frame returns the first rows of a data frame, uncut.
func (s *Session) Frame(ctx context.Context, name string, rows int64) (*Result, error) {
	return s.ask(ctx, request{Frame: name, Rows: rows})
}

func (s *Session) ask(ctx context.Context, r request) (*Result, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.relieve(); err != nil {
		return nil, err
	}
	restarted := s.running == nil && s.begun
	if s.running == nil {
		if err := s.start(); err != nil {
			return nil, err
		}
	}
	var err error
	if s.since, err = sandbox.Now(s.work()); err != nil {
		return nil, fmt.Errorf("look at the working folder of Python: %w", err)
	}
	type reply struct {
		result *Result
		err    error
	}
	done := make(chan reply, 1)
	p := s.running
	go func() {
		result, err := p.ask(ctx, r)
		done <- reply{result, err}
	}()
	var got reply
	select {
	case got = <-done:
	case <-ctx.Done():
		p.end()
		<-done
		s.running = nil
		when := "the turn was stopped"
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			when = "its time was over"
		}
		return nil, ended("the code was ended when "+when+", and its variables are lost", ctx.Err())
	}
	if got.err != nil {
		if err := s.relieve(); err != nil {
			return nil, err
		}
		p.end()
		s.running = nil
		what := "the process died"
		if errors.Is(got.err, errForged) {
			what = "the process was ended, as " + errForged.Error()
		}
		return nil, ended(what+", and its variables are lost"+p.said.reason(), got.err)
	}
	if err := s.relieve(); err != nil {
		return nil, err
	}
	s.known = api.Arranged(append(s.known, r.caveats...))
	got.result.Restarted, got.result.Caveats = restarted, r.caveats // whatever the process says
	if r.Frame != "" {
		got.result.Caveats = s.known
	}
	return got.result, nil
}

func ended(message string, err error) error {
	return &api.Error{Code: api.CodeBadRequest, Kind: api.KindPythonEnded, Message: "Python: " + message, Err: err,
		Hint: "Load the data again, work on fewer rows or columns, or compute it in SQL."}
}

func (s *Session) start() error {
	leave := func() {}
	if s.enter != nil {
		if err := s.enter(); err != nil {
			return err
		}
		leave = s.leave
	}
	err := s.run(leave)
	if err != nil {
		leave()
	}
	return err
}

// alive reports whether the session has a process.
func (s *Session) alive() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.running != nil
}

// run starts the process, and calls left when it has ended.
func (s *Session) run(left func()) error {
	ctx, cancel := context.WithCancel(context.Background()) // it lives from call to call
	cmd, err := sandbox.Command(ctx, sandbox.Spec{
		Program: s.with.Program, Args: []string{"-I", "-u", "-c", harness}, Dir: s.work(),
		Env: []string{"LANG=C.UTF-8", "HOME=" + s.work(), "TMPDIR=" + s.work(), "PATH=", "MPLBACKEND=Agg", "MPLCONFIGDIR=" + s.work(),
			"OMP_NUM_THREADS=1", "OPENBLAS_NUM_THREADS=1", "ARROW_IO_THREADS=1", "ARROW_DEFAULT_MEMORY_POOL=system", "POLARS_MAX_THREADS=1"},
		Read: append(s.with.reads(), s.Data()), Memory: maxMemory, FileSize: maxFile, CPU: maxCPU,
	})
	if err != nil {
		cancel()
		return err
	}
	p := &process{cmd: cmd, cancel: cancel, said: &tail{}, left: left, done: ctx.Done(), watched: make(chan struct{})}
	cmd.Stderr = p.said
	p.in, err = cmd.StdinPipe()
	if err == nil {
		var out io.ReadCloser
		if out, err = cmd.StdoutPipe(); err == nil {
			p.out = bufio.NewScanner(out)
			p.out.Buffer(nil, maxAnswer)
			err = sandbox.Start(ctx, cmd)
		}
	}
	if err != nil {
		cancel()
		return fmt.Errorf("start Python: %w", err)
	}
	s.running, s.begun = p, true
	go s.watch(p)
	return nil
}

// ask sends a request and waits for the answer.
func (p *process) ask(ctx context.Context, r request) (*Result, error) {
	r.Mark = rand.Text()
	line, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	if _, err := p.in.Write(append(line, '\n')); err != nil {
		return nil, err
	}
	calls, n := map[string]int{}, 0
	for {
		if !p.out.Scan() {
			return nil, errors.Join(io.ErrUnexpectedEOF, p.out.Err())
		}
		var said struct {
			Result
			fileCall
		}
		if err := json.Unmarshal(p.out.Bytes(), &said); err != nil {
			return nil, fmt.Errorf("not an answer: %w", err)
		}
		if said.Mark != r.Mark { // else each later answer would be that of the call before
			return nil, errForged
		}
		if said.Tool == "" || r.files == nil {
			said.Mark, said.FileCalls = "", calls
			return &said.Result, nil
		}
		calls[said.Tool]++
		n++
		if _, err := p.in.Write(append(r.files.call(ctx, said.fileCall, n), '\n')); err != nil {
			return nil, err
		}
	}
}

// errForged says that an answer has not the mark of its request.
var errForged = errors.New("its code wrote an answer of its own")

// end kills the process.
func (p *process) end() {
	p.cancel()
	<-p.watched // its number may be another's when it has ended
	_ = p.in.Close()
	_ = p.cmd.Wait() // it was killed
	p.left()
}

// Close ends the process.
func (s *Session) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running != nil {
		s.running.end()
		s.running = nil
	}
}

// tail keeps the beginning of the process's stderr.
type tail struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write implements io.Writer.
func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text.Write(b[:min(len(b), maxComplain-min(maxComplain, t.text.Len()))])
	return len(b), nil
}

func (t *tail) reason() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.text.Len() == 0 {
		return ""
	}
	return ": " + api.Clip(t.text.String(), 300)
}
