package flighttest

import (
	"context"
	"encoding/base64"
	"fmt"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
)

const handshake = "/arrow.flight.protocol.FlightService/Handshake"

func (s *Server) unary(ctx context.Context, req any, _ *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
	if err := s.admit(ctx); err != nil {
		return nil, err
	}
	return next(ctx, req)
}

func (s *Server) stream(srv any, stream grpc.ServerStream, info *grpc.StreamServerInfo, next grpc.StreamHandler) error {
	if info.FullMethod == handshake && s.o.User != "" && !s.o.NoHandshake {
		if sent(stream.Context()) != s.basic() {
			return status.Error(codes.Unauthenticated, "wrong user or password: "+sent(stream.Context()))
		}
		return stream.SetHeader(metadata.Pairs("authorization", s.bearer()))
	}
	if err := s.admit(stream.Context()); err != nil {
		return err
	}
	return next(srv, stream)
}

// Revoke makes every token that was handed out worthless.
func (s *Server) Revoke() { s.tokens.Add(1) }

func (s *Server) bearer() string { return fmt.Sprintf("Bearer session-%d", s.tokens.Load()) }

func (s *Server) basic() string {
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(s.o.User+":"+s.o.Password))
}

// admit lets a call in, or says what came instead, as careless engines do.
func (s *Server) admit(ctx context.Context) error {
	want := ""
	switch {
	case s.o.Token != "":
		want = "Bearer " + s.o.Token
	case s.o.User != "" && s.o.NoHandshake:
		want = s.basic()
	case s.o.User != "":
		want = s.bearer()
	}
	if want != "" && sent(ctx) != want {
		return status.Error(codes.Unauthenticated, "refused: "+sent(ctx))
	}
	return nil
}

func sent(ctx context.Context) string {
	md, _ := metadata.FromIncomingContext(ctx)
	if v := md.Get("authorization"); len(v) > 0 {
		return v[0]
	}
	return ""
}
