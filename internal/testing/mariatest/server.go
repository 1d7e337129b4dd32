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

// ErrNotInstalled is returned if the MariaDB binaries are not installed.
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
	// The path of a socket must be short; a test's own folder would be too long.
	dir, err := os.MkdirTemp("", "da-maria")
	if err != nil {
		return nil, err
	}
	s := &Server{dir: dir}
	data := filepath.Join(dir, "data")
	// A server that starts removes the temporary tables of others in the same
	// folder, so each has a folder of its own, while it installs, too.
	common := []string{"--no-defaults", "--datadir=" + data, "--tmpdir=" + dir}
	if os.Getuid() == 0 {
		common = append(common, "--user=root")
	}
	out, err := exec.Command(install, append(common, "--auth-root-authentication-method=normal", "--skip-test-db", "--skip-name-resolve")...).CombinedOutput()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%w\n%s", err, out), os.RemoveAll(dir))
	}
	s.args = append([]string{daemon}, append(common, "--socket="+s.socket(), "--skip-networking", "--skip-log-bin", "--innodb-flush-log-at-trx-commit=0",
		"--innodb-buffer-pool-size=64M", "--innodb-doublewrite=0", "--log-error="+filepath.Join(dir, "log"), "--max-allowed-packet=64M",
		"--pid-file="+filepath.Join(dir, "pid"),
		// Use unusual server settings: sessions must not depend on the server's
		// defaults.
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

// DSN returns a DSN for a user; database can be empty. Parameters, as in
// "a=1&b=2", are appended.
func (s *Server) DSN(user, password, database, parameters string) string {
	return fmt.Sprintf("%s:%s@unix(%s)/%s?%s", user, password, s.socket(), database, parameters)
}

// Dial connects without logging in.
func (s *Server) Dial() (net.Conn, error) { return net.Dial("unix", s.socket()) }

// Restart starts the server again after Kill, on the same data.
func (s *Server) Restart() error {
	_ = os.Remove(s.socket()) // left behind by a killed server
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

// Kill kills the server and everything that it runs: connections break, and
// Restart must recover.
func (s *Server) Kill() error {
	err := s.process.Process.Kill()
	_ = s.process.Wait() // fails, because the process was killed
	if errors.Is(err, os.ErrProcessDone) {
		return nil
	}
	return err
}

// Stop ends the server and removes its data.
func (s *Server) Stop() error { return errors.Join(s.Kill(), os.RemoveAll(s.dir)) }
