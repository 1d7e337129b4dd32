package mariatest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// ErrNotInstalled is returned where there are no binaries of MariaDB.
var ErrNotInstalled = errors.New("MariaDB is not installed (apt-get install mariadb-server)")

// Server is a running MariaDB of the test's own. The user root needs no
// password.
type Server struct {
	dir     string
	args    []string
	process *exec.Cmd
}

// Start makes a server and waits until it takes connections. The caller stops
// it.
func Start() (*Server, error) {
	daemon, err := find("mariadbd")
	if err != nil {
		return nil, err
	}
	install, err := find("mariadb-install-db")
	if err != nil {
		return nil, err
	}
	// A socket's path may not be long: the folder of a test would be.
	dir, err := os.MkdirTemp("", "da-maria")
	if err != nil {
		return nil, err
	}
	s := &Server{dir: dir}
	data := filepath.Join(dir, "data")
	common := []string{"--no-defaults", "--datadir=" + data}
	if os.Getuid() == 0 {
		common = append(common, "--user=root")
	}
	out, err := exec.Command(install, append(common, "--auth-root-authentication-method=normal", "--skip-test-db", "--skip-name-resolve")...).CombinedOutput()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%w\n%s", err, out), os.RemoveAll(dir))
	}
	s.args = append([]string{daemon}, append(common, "--socket="+s.socket(), "--skip-networking", "--skip-log-bin", "--innodb-flush-log-at-trx-commit=0",
		"--innodb-buffer-pool-size=64M", "--innodb-doublewrite=0", "--log-error="+filepath.Join(dir, "log"), "--max-allowed-packet=64M",
		"--pid-file="+filepath.Join(dir, "pid"), "--tmpdir="+dir,
		// Nothing of the session may depend on what the server prefers.
		"--character-set-server=latin1", "--default-time-zone=+05:00", "--sql-mode=ANSI_QUOTES,PIPES_AS_CONCAT,HIGH_NOT_PRECEDENCE")...)
	if err := s.Restart(); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return s, nil
}

// find looks for a program also where users' paths do not lead.
func find(name string) (string, error) {
	for _, dir := range append(filepath.SplitList(os.Getenv("PATH")), "/usr/sbin", "/usr/bin", "/usr/local/sbin", "/usr/local/bin") {
		path := filepath.Join(dir, name)
		if info, err := os.Stat(path); err == nil && !info.IsDir() {
			return path, nil
		}
	}
	return "", ErrNotInstalled
}

func (s *Server) socket() string { return filepath.Join(s.dir, "s") }

// DSN connects as a user; database may be empty. Parameters, as in "a=1&b=2",
// are added to it.
func (s *Server) DSN(user, password, database, parameters string) string {
	return fmt.Sprintf("%s:%s@unix(%s)/%s?%s", user, password, s.socket(), database, parameters)
}

// Dial connects without logging in.
func (s *Server) Dial() (net.Conn, error) { return net.Dial("unix", s.socket()) }

// Restart starts the server again after Kill, on the same data.
func (s *Server) Restart() error {
	_ = os.Remove(s.socket()) // what a killed one leaves
	s.process = exec.Command(s.args[0], s.args[1:]...)
	if err := s.process.Start(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		if conn, err := net.Dial("unix", s.socket()); err == nil {
			return conn.Close()
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			log, _ := os.ReadFile(filepath.Join(s.dir, "log"))
			return errors.Join(fmt.Errorf("MariaDB does not start: %s", log), s.Kill())
		}
	}
}

// Kill ends the server and whatever it does at once: connections break, and
// Restart must recover.
func (s *Server) Kill() error {
	err := s.process.Process.Kill()
	_ = s.process.Wait() // of a process that was killed
	if errors.Is(err, os.ErrProcessDone) {
		return nil
	}
	return err
}

// Stop ends the server and removes its data.
func (s *Server) Stop() error { return errors.Join(s.Kill(), os.RemoveAll(s.dir)) }
