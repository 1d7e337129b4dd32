package chtest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/agnes-data/da/internal/testing/testneed"
)

// errNotInstalled is returned if the server's program is not installed.
var errNotInstalled = errors.New("ClickHouse is not installed (apt-get install clickhouse-server)")

// Server is Debian's ClickHouse, 18.16: too old for Arrow, and a whole server. Its users
// are default, without a password, writer, whose password is right, and reader and
// locked, whose readonly is 2 and 1.
type Server struct {
	process *exec.Cmd
	port    int
}

const serverConfig = `<yandex>
<logger><level>warning</level><log>%[1]s/log</log><errorlog>%[1]s/errors</errorlog></logger>
<listen_host>127.0.0.1</listen_host><http_port>%[2]d</http_port><tcp_port>%[3]d</tcp_port><interserver_http_port>%[4]d</interserver_http_port>
<path>%[1]s/data/</path><tmp_path>%[1]s/tmp/</tmp_path><user_files_path>%[1]s/files/</user_files_path><format_schema_path>%[1]s/formats/</format_schema_path>
<mark_cache_size>10000000</mark_cache_size><users_config>%[1]s/users.xml</users_config>
<default_profile>default</default_profile><default_database>default</default_database><timezone>Asia/Tokyo</timezone>
</yandex>`

const serverUsers = `<yandex><profiles><default/><reading><readonly>2</readonly></reading><locked><readonly>1</readonly></locked></profiles>
<quotas><default/></quotas><users>
<default><password/><profile>default</profile><quota>default</quota><networks><ip>::/0</ip></networks></default>
<writer><password>right</password><profile>default</profile><quota>default</quota><networks><ip>::/0</ip></networks></writer>
<reader><password/><profile>reading</profile><quota>default</quota><networks><ip>::/0</ip></networks></reader>
<locked><password/><profile>locked</profile><quota>default</quota><networks><ip>::/0</ip></networks></locked>
</users></yandex>`

// NewServer starts a server that ends with the test. Where it is not installed the test
// is skipped, but not in CI.
func NewServer(t testing.TB) *Server {
	t.Helper()
	s, err := start(t.TempDir())
	testneed.Started(t, err, errNotInstalled, "ClickHouse", "make needs")
	t.Cleanup(func() {
		_ = s.process.Process.Kill()
		_ = s.process.Wait() // fails, because the process was killed
	})
	return s
}

func start(dir string) (*Server, error) {
	program, err := exec.LookPath("clickhouse-server")
	if err != nil {
		if program = "/usr/sbin/clickhouse-server"; exec.Command("test", "-x", program).Run() != nil {
			return nil, errNotInstalled
		}
	}
	ports, err := free(3)
	if err != nil {
		return nil, err
	}
	config := filepath.Join(dir, "config.xml")
	for path, text := range map[string]string{config: fmt.Sprintf(serverConfig, dir, ports[0], ports[1], ports[2]), filepath.Join(dir, "users.xml"): serverUsers} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			return nil, err
		}
	}
	s := &Server{process: exec.Command(program, "--config-file="+config), port: ports[0]}
	s.process.Dir = dir
	if err := s.process.Start(); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		if _, err = post(s.DSN("", ""), "SELECT 1"); err == nil {
			return s, nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			log, _ := os.ReadFile(filepath.Join(dir, "errors"))
			_ = s.process.Process.Kill()
			return nil, errors.Join(fmt.Errorf("ClickHouse does not start: %w\n%s", err, log), s.process.Wait())
		}
	}
}

// free finds ports that nobody listens on.
func free(n int) (ports []int, err error) {
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer l.Close() // after all are found, so that they differ
		ports = append(ports, l.Addr().(*net.TCPAddr).Port)
	}
	return ports, nil
}

// DSN is the address for a user, given with its password, as in reader: or writer:right.
func (s *Server) DSN(user, settings string) string {
	if user != "" {
		user += "@"
	}
	return fmt.Sprintf("http://%s127.0.0.1:%d/default?%s", user, s.port, settings)
}

// Query runs a statement past the source, and returns its answer.
func (s *Server) Query(statement string) (string, error) { return post(s.DSN("", ""), statement) }
