// Package sparktest starts engines that speak Spark Connect: Sail, which is there at
// once, and Spark itself.
//
// It is for tests only.
package sparktest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/agnes-data/da/internal/testing/freeport"
	"github.com/agnes-data/da/internal/testing/testneed"
)

// Token is what Spark asks for; Sail takes anything.
const Token = "the right token"

// Server is a running engine of the test's own.
type Server struct {
	Address string
	process *exec.Cmd
	conn    *grpc.ClientConn
	session string
}

// Sail starts a Sail in a folder of its own, for as long as the test runs.
func Sail(t testing.TB) *Server {
	t.Helper()
	program := NeedSail(t)
	host, port := address(t)
	return start(t, exec.Command(program, "spark", "server", "--ip", host, "--port", port))
}

// NeedSail returns the program, and skips the test where it is not installed.
func NeedSail(t testing.TB) string {
	t.Helper()
	program := cached(t, "readers/bin/sail")
	testneed.File(t, program, "Sail", "make needs")
	return program
}

// Spark starts a Spark whose limits are so narrow that tests meet them: a stream of
// rows ends after 2 MB, and a result is no larger than 64 MB. It reads tables of Delta
// and Iceberg.
func Spark(t testing.TB) *Server {
	t.Helper()
	home := cached(t, "spark/pyspark-4.1.4/deps")
	if _, err := os.Stat(home); err != nil || os.Getenv("DA_SPARK") == "" {
		t.Skip("make spark tests on the real Spark (it fetches 514 MB and needs a Java of 17 or later)")
	}
	host, port := address(t)
	args := []string{"--class", "org.apache.spark.sql.connect.service.SparkConnectServer", "--master", "local[2]", "--driver-memory", "1g"}
	for _, conf := range []string{
		"connect.grpc.binding.address=" + host, "connect.grpc.binding.port=" + port, "ui.enabled=false", "sql.shuffle.partitions=2",
		"connect.authenticate.token=" + Token, "connect.execute.reattachable.senderMaxStreamSize=2m", "driver.maxResultSize=64m",
		// What a session does not set itself is wrong here.
		"sql.session.timeZone=Asia/Tokyo", "sql.ansi.enabled=false",
	} {
		args = append(args, "--conf", "spark."+conf)
	}
	jars, err := filepath.Glob(cached(t, "spark/jars/*.jar"))
	if err != nil {
		t.Fatal(err)
	}
	if len(jars) > 0 { // the readers of Delta and Iceberg
		args = append(args, "--jars", strings.Join(jars, ","), "--conf", "spark.sql.catalog.spark_catalog=org.apache.spark.sql.delta.catalog.DeltaCatalog",
			"--conf", "spark.sql.extensions=io.delta.sql.DeltaSparkSessionExtension")
	}
	c := exec.Command(filepath.Join(home, "bin/spark-submit"), append(args, "spark-internal")...)
	c.Env = append(os.Environ(), "SPARK_HOME="+home, "SPARK_LOCAL_IP="+host)
	return start(t, c)
}

// cached is a file below .cache at the root of the module.
func cached(t testing.TB, name string) string {
	t.Helper()
	for dir := "."; ; dir = filepath.Join("..", dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			path, err := filepath.Abs(filepath.Join(dir, ".cache", name))
			if err != nil {
				t.Fatal(err)
			}
			return path
		}
		if abs, err := filepath.Abs(dir); err != nil || abs == filepath.Dir(abs) {
			t.Fatal("the root of the module is not found")
		}
	}
}

func address(t testing.TB) (host, port string) {
	t.Helper()
	a, err := freeport.Address()
	if err == nil {
		host, port, err = net.SplitHostPort(a)
	}
	if err != nil {
		t.Fatal(err)
	}
	return host, port
}

// start starts a server, whose last two arguments or settings name its address, and
// waits until it takes connections.
func start(t testing.TB, c *exec.Cmd) *Server {
	t.Helper()
	s := &Server{process: c, session: uuid.NewString()}
	all := strings.Join(c.Args, " ")
	port := after(all, "--port ") + after(all, "binding.port=")
	s.Address = "127.0.0.1:" + port
	c.Dir = t.TempDir()
	log, err := os.Create(filepath.Join(c.Dir, "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	c.Stdout, c.Stderr = log, log
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Kill)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for ; ; <-tick.C {
		conn, err := net.DialTimeout("tcp", s.Address, time.Second)
		if err == nil {
			_ = conn.Close()
			break
		}
		if t.Context().Err() != nil || !s.Alive() {
			said, _ := os.ReadFile(log.Name())
			t.Fatalf("the server has not started: %s", said)
		}
	}
	if s.conn, err = grpc.NewClient(s.Address, grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(64<<20), grpc.ForceCodec(plain{}))); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.conn.Close() })
	return s
}

func after(text, mark string) string {
	_, rest, _ := strings.Cut(text, mark)
	word, _, _ := strings.Cut(rest, " ")
	return word
}

// Alive reports whether the server's process is there.
func (s *Server) Alive() bool { return s.process.ProcessState == nil && s.Worked() >= 0 }

// URI is what a source calls the server, and the session of Exec in it: the tables of
// Sail are those of a session.
func (s *Server) URI() string { return "sc://" + s.Address + "/;session_id=" + s.session }

// Kill ends the server at once.
func (s *Server) Kill() {
	_ = s.process.Process.Kill()
	_, _ = s.process.Process.Wait()
}

// Restart starts the server again at its address, after Kill. A Sail has no tables then.
func (s *Server) Restart(t testing.TB) {
	t.Helper()
	s.process = start(t, exec.Command(s.process.Path, s.process.Args[1:]...)).process
}

// Worked is the time of processors that the server has used, in its own ticks; below
// 0 if it is gone.
func (s *Server) Worked() int64 {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", s.process.Process.Pid))
	if err != nil {
		return -1
	}
	f := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
	if f[0] == "Z" {
		return -1
	}
	var user, system int64
	_, _ = fmt.Sscan(f[11], &user)
	_, _ = fmt.Sscan(f[12], &system)
	return user + system
}

// Exec runs a statement in the session of URI, in UTC.
func (s *Server) Exec(ctx context.Context, sql string) error {
	return s.Rows(ctx, sql, func([]byte) {})
}

const path = "/spark.connect.SparkConnectService/"

// head is what each call begins with.
func (s *Server) head(ctx context.Context) (context.Context, []byte) {
	head := append(text(1, s.session), message(2, text(1, "da"))...)
	return metadata.AppendToOutgoingContext(ctx, "authorization", "Bearer "+Token), head[:len(head):len(head)]
}

// Set changes a setting of the session of URI.
func (s *Server) Set(ctx context.Context, name, value string) error {
	ctx, head := s.head(ctx)
	pair := message(3, message(1, message(1, append(text(1, name), text(2, value)...))))
	return s.conn.Invoke(ctx, path+"Config", append(head, pair...), new([]byte))
}

// Rows is Exec with the rows: each of some is a stream of Arrow. One that ctx ends is ended
// in the engine, too.
func (s *Server) Rows(ctx context.Context, sql string, some func(stream []byte)) error {
	if err := s.Set(ctx, "spark.sql.session.timeZone", "UTC"); err != nil {
		return err
	}
	ctx, head := s.head(ctx)
	var answer []byte
	stream, err := s.conn.NewStream(ctx, &grpc.StreamDesc{ServerStreams: true}, path+"ExecutePlan")
	if err != nil {
		return err
	}
	operation := text(6, uuid.NewString())
	defer context.AfterFunc(ctx, func() {
		ended := protowire.AppendVarint(protowire.AppendTag(nil, 4, protowire.VarintType), 3)
		_ = s.conn.Invoke(context.WithoutCancel(ctx), path+"Interrupt", slices.Concat(head, ended, operation), new([]byte))
	})()
	ask := slices.Concat(head, operation, message(3, message(1, message(10, text(1, sql)))))
	if err := errors.Join(stream.SendMsg(ask), stream.CloseSend()); err != nil {
		return err
	}
	for {
		if err := stream.RecvMsg(&answer); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("%.200s: %w", sql, err)
		}
		if rows := part(part(answer, 2), 2); rows != nil {
			some(rows)
		}
	}
}

// part is the field of a message that is a text or a message; nil: it has none.
func part(b []byte, want protowire.Number) (found []byte) {
	for len(b) > 0 {
		n, kind, size := protowire.ConsumeTag(b)
		end := max(protowire.ConsumeFieldValue(n, kind, b[size:]), 0)
		if n == want && kind == protowire.BytesType {
			found, _ = protowire.ConsumeBytes(b[size:])
		}
		b = b[size+end:]
	}
	return found
}

func text(n protowire.Number, s string) []byte { return message(n, []byte(s)) }

func message(n protowire.Number, body []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(nil, n, protowire.BytesType), body)
}

// plain is the codec of messages that are bytes already.
type plain struct{}

func (plain) Marshal(v any) ([]byte, error) { return v.([]byte), nil }

func (plain) Unmarshal(data []byte, v any) error {
	*v.(*[]byte) = data
	return nil
}

func (plain) Name() string { return "proto" }
