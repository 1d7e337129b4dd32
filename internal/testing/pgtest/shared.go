package pgtest

import (
	"fmt"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// shared is the cluster that the tests of a package share. Making a cluster takes a
// second, making a database a few hundredths.
var (
	shared    = sync.OnceValues(func() (*Cluster, error) { return Start(Options{TCP: true}) })
	databases atomic.Int64
)

// Main runs the tests of a package that use Shared.
func Main(m *testing.M) {
	m.Run()
	if databases.Load() == 0 {
		return
	}
	if c, err := shared(); err == nil {
		if err := c.Stop(); err != nil {
			panic(err)
		}
	}
}

// Database is a database of one test in the cluster of its package.
type Database struct {
	Cluster *Cluster
	Name    string
}

// Shared makes a database. TestMain has to call Main.
func Shared(t testing.TB) Database {
	t.Helper()
	name := fmt.Sprintf("test%d", databases.Add(1))
	c, err := shared()
	Require(t, err)
	if out, err := c.Command("psql", "-qc", "CREATE DATABASE "+name).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return Database{c, name}
}

// DSN returns the DSN of this database.
func (d Database) DSN(more string) string {
	return strings.Replace(d.Cluster.DSN(more), "dbname=postgres", "dbname="+d.Name, 1)
}

// Command prepares a PostgreSQL program that connects to this database.
func (d Database) Command(name string, args ...string) *exec.Cmd {
	cmd := d.Cluster.Command(name, args...)
	cmd.Env = append(cmd.Env, "PGDATABASE="+d.Name)
	return cmd
}
