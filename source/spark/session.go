package spark

import (
	"cmp"
	"context"
	"strings"
	"time"

	"github.com/google/uuid"
	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/encoding/protowire"
)

// stopTime limits how long it may take to tell the server that something is no longer
// wanted.
const stopTime = 5 * time.Second

// settings make every session mean the same by a plan.
var settings = [][2]string{
	{"spark.sql.session.timeZone", "UTC"},
	{"spark.sql.ansi.enabled", "true"},
	// The name of a table is no path of a file, whatever an operator writes.
	{"spark.sql.runSQLOnFiles", "false"},
}

// configured is the operation that makes the settings.
func configured() []byte {
	var pairs [][]byte
	for _, p := range settings {
		pairs = append(pairs, within(1, text(1, p[0]), text(2, p[1])))
	}
	return within(3, within(1, pairs...))
}

// session is where the server keeps settings and running operations.
type session struct {
	id, user string
	// server is the server's own name of the session. Sent along, it makes a server
	// that has been restarted say so; else it would make a session without settings.
	server string
}

// request begins a request of the session; observed is the number of the field with
// the server's name of it, if the request has one.
func (s *session) request(observed protowire.Number, fields ...[]byte) []byte {
	b := append(text(1, s.id), within(2, text(1, s.user))...)
	if observed > 0 && s.server != "" {
		b = append(b, text(observed, s.server)...)
	}
	for _, f := range fields {
		b = append(b, f...)
	}
	return b
}

const service = "/spark.connect.SparkConnectService/"

// call makes a call with one answer.
func (s *Spark) call(ctx context.Context, method string, request []byte) (answer []byte, err error) {
	err = s.conn.Invoke(s.credited(ctx), service+method, request, &answer)
	return answer, err
}

func (s *Spark) credited(ctx context.Context) context.Context {
	return metadata.NewOutgoingContext(ctx, s.address.headers)
}

// stream makes a call with many answers.
func (s *Spark) stream(ctx context.Context, method string, request []byte) (grpc.ClientStream, error) {
	stream, err := s.conn.NewStream(s.credited(ctx), &grpc.StreamDesc{ServerStreams: true}, service+method)
	if err != nil {
		return nil, err
	}
	if err := stream.SendMsg(request); err != nil {
		return nil, err
	}
	return stream, stream.CloseSend()
}

// open returns the session, and makes it if there is none.
func (s *Spark) open(ctx context.Context) (*session, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	made := s.current
	switch {
	case made == nil:
		made = &session{id: cmp.Or(s.address.session, uuid.NewString()), user: s.address.user}
	case made.server != made.id: // a Spark says when it has forgotten it; a Sail does not, and is sent the settings each time
		return made, nil
	}
	answer, err := s.call(ctx, "Config", made.request(0, configured()))
	if err != nil {
		return nil, err
	}
	server, err := at(answer, 4)
	if err != nil {
		return nil, err
	}
	if s.current == nil {
		made.server, s.current = string(server), made
	}
	return made, nil
}

// in calls f with the session, and once more with a new one if the server has
// forgotten it.
func (s *Spark) in(ctx context.Context, f func(*session) error) error {
	for again := false; ; again = true {
		at, err := s.open(ctx)
		if err != nil {
			return err
		}
		if err = f(at); err == nil || again || !strings.HasPrefix(classOf(err), "INVALID_HANDLE.SESSION") {
			return err
		}
		s.forget(at)
	}
}

func (s *Spark) forget(lost *session) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.current == lost {
		s.current = nil
	}
}

// analyze asks about a plan without running it; of makes the question's field.
func (s *Spark) analyze(ctx context.Context, of func(*session) []byte) (answer []byte, err error) {
	err = s.in(ctx, func(at *session) error {
		answer, err = s.call(ctx, "AnalyzePlan", at.request(17, of(at)))
		return err
	})
	return answer, err
}
