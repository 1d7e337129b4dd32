package pgtest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"github.com/agnes-data/da/internal/testing/freeport"
)

// ErrNotInstalled is returned if the PostgreSQL binaries are not installed.
var ErrNotInstalled = errors.New("PostgreSQL is not installed (apt-get install postgresql)")

// User is the superuser of a cluster, who needs no password. Guarded is the name
// of a role with a password, which tests can create.
const (
	User    = "da"
	Guarded = "guarded"
)

// Cluster is a running PostgreSQL of the test's own.
type Cluster struct {
	// Dir contains the socket, for the default port, and files that the server
	// can read.
	Dir string
	// Port is where it listens on 127.0.0.1; 0 without TCP.
	Port int

	bin    string
	as     *syscall.Credential
	args   []string
	server *exec.Cmd
}

// Options are the settings of a cluster that differ from the defaults.
type Options struct {
	// TCP makes it listen on 127.0.0.1 as well.
	TCP bool
	// Settings are added to the server's own, as in "ssl=on".
	Settings []string
	// Files are written into Dir, readable by the server only.
	Files map[string][]byte
}

// access lets everybody in without a password but for Guarded.
const access = `
local all guarded scram-sha-256
host  all guarded 127.0.0.1/32 scram-sha-256
local all all trust
host  all all 127.0.0.1/32 trust
`

// Start makes a cluster and waits until it takes connections. The caller stops
// it.
func Start(o Options) (*Cluster, error) {
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if err != nil || len(found) == 0 {
		return nil, ErrNotInstalled
	}
	// The path of a socket must be short; a test's own folder would be too long.
	dir, err := os.MkdirTemp("", "da-pg")
	if err != nil {
		return nil, err
	}
	c := &Cluster{Dir: dir, bin: filepath.Dir(found[len(found)-1])}
	if err := c.begin(o); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return c, nil
}

func (c *Cluster) begin(o Options) error {
	var err error
	if c.as, err = unprivileged(c.Dir); err != nil {
		return err
	}
	for name, data := range o.Files {
		path := filepath.Join(c.Dir, name)
		if err := os.WriteFile(path, data, 0o600); err != nil {
			return err
		}
		if c.as != nil {
			if err := os.Chown(path, int(c.as.Uid), int(c.as.Gid)); err != nil {
				return err
			}
		}
	}
	data := filepath.Join(c.Dir, "data")
	// As in most databases, use a locale whose text order differs from byte
	// order.
	out, err := c.command("initdb", "-D", data, "-U", User, "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8",
		"--locale-provider=icu", "--icu-locale=en-US", "--no-sync").CombinedOutput()
	if err != nil {
		return fmt.Errorf("initdb: %w\n%s", err, out)
	}
	if err := os.WriteFile(filepath.Join(data, "pg_hba.conf"), []byte(access), 0o600); err != nil {
		return err
	}
	listen := ""
	c.args = []string{"-D", data, "-k", c.Dir, "-c", "fsync=off", "-c", "timezone=UTC", "-c", "shared_buffers=32MB", "-c", "autovacuum=off",
		// What is created and filled at once needs no log, not even after Kill.
		"-c", "wal_level=minimal", "-c", "max_wal_senders=0",
		"-c", "log_min_messages=fatal"}
	if o.TCP {
		port, err := freeport.Port()
		if err != nil {
			return err
		}
		if c.Port, err = strconv.Atoi(port); err != nil {
			return err
		}
		listen = "127.0.0.1"
		c.args = append(c.args, "-c", "port="+strconv.Itoa(c.Port))
	}
	c.args = append(c.args, "-c", "listen_addresses="+listen)
	for _, s := range o.Settings {
		c.args = append(c.args, "-c", s)
	}
	return c.Restart()
}

// Restart starts the server again after Kill, on the same data.
func (c *Cluster) Restart() error {
	c.server = c.command("postgres", c.args...)
	if err := c.server.Start(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		out, err := c.command("pg_isready", "-h", c.Dir, "-p", c.port()).CombinedOutput()
		if err == nil {
			return nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return errors.Join(fmt.Errorf("PostgreSQL does not start: %s", out), c.Kill())
		}
	}
}

func (c *Cluster) port() string {
	if c.Port == 0 {
		return "5432"
	}
	return strconv.Itoa(c.Port)
}

// DSN connects through the socket, as the superuser unless more says otherwise.
func (c *Cluster) DSN(more string) string {
	return fmt.Sprintf("host=%s port=%s user=%s dbname=postgres %s", c.Dir, c.port(), User, more)
}

// Command runs a PostgreSQL program such as psql, with the environment variables
// that point it to the cluster.
func (c *Cluster) Command(name string, args ...string) *exec.Cmd {
	cmd := c.command(name, args...)
	cmd.SysProcAttr = nil
	cmd.Env = append(cmd.Env, "PGHOST="+c.Dir, "PGPORT="+c.port(), "PGUSER="+User, "PGDATABASE=postgres")
	return cmd
}

func (c *Cluster) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(c.bin, name), args...)
	cmd.Dir = c.Dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: c.as}
	cmd.Env = []string{"PATH=/usr/bin:/bin", "LC_ALL=C.UTF-8", "TZ=UTC"}
	return cmd
}

// Kill kills the server and everything that it runs: connections break, and
// Restart must recover.
func (c *Cluster) Kill() error {
	err := c.server.Process.Signal(syscall.SIGQUIT)
	_ = c.server.Wait() // fails, because the process was killed
	if errors.Is(err, os.ErrProcessDone) {
		return nil
	}
	return err
}

// Stop ends the server and removes the cluster.
func (c *Cluster) Stop() error {
	return errors.Join(c.Kill(), os.RemoveAll(c.Dir))
}

// unprivileged gives the folder to a user as which PostgreSQL can run; nil means
// the caller's own user.
func unprivileged(dir string) (*syscall.Credential, error) {
	if os.Getuid() != 0 {
		return nil, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, _ := strconv.Atoi(u.Uid)
		gid, _ := strconv.Atoi(u.Gid)
		return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, os.Chown(dir, uid, gid)
	}
	return nil, errors.New("no user to run PostgreSQL as: it refuses to run as root")
}
