package flightsql

import (
	"context"
	"encoding/base64"
	"errors"
	"io"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
)

const authorization = "authorization"

// credited returns a context whose calls carry the source's credentials.
func (f *FlightSQL) credited(ctx context.Context) (context.Context, error) {
	switch {
	case f.o.Token != "":
		return metadata.AppendToOutgoingContext(ctx, authorization, "Bearer "+f.o.Token), nil
	case f.o.User == "":
		return ctx, nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.token == "" {
		token, err := f.handshake(ctx)
		if err != nil {
			return nil, err
		}
		f.token = token
	}
	return metadata.AppendToOutgoingContext(ctx, authorization, f.token), nil
}

// handshake exchanges user and password for a token, as the protocol describes.
// Some engines offer no such exchange; they get user and password with every call.
func (f *FlightSQL) handshake(ctx context.Context) (token string, err error) {
	basic := "Basic " + base64.StdEncoding.EncodeToString([]byte(f.o.User+":"+f.o.Password))
	stream, err := f.flight.Handshake(metadata.AppendToOutgoingContext(ctx, authorization, basic))
	if err != nil {
		return "", err
	}
	if err := stream.CloseSend(); err != nil {
		return "", err
	}
	for err == nil {
		_, err = stream.Recv()
	}
	if status.Code(err) == codes.Unimplemented {
		return basic, nil
	}
	if !errors.Is(err, io.EOF) {
		return "", err
	}
	header, err := stream.Header()
	if err != nil {
		return "", err
	}
	for _, t := range append(header.Get(authorization), stream.Trailer().Get(authorization)...) {
		if t != "" {
			return t, nil
		}
	}
	return basic, nil
}

// again makes a call, and repeats it once if the token has expired.
func (f *FlightSQL) again(call func() error) error {
	err := call()
	if err != nil && f.outdated(err) {
		err = call()
	}
	return err
}

// outdated drops a token that the engine no longer accepts. It reports whether a
// new one can be requested.
func (f *FlightSQL) outdated(err error) bool {
	if status.Code(err) != codes.Unauthenticated || f.o.User == "" {
		return false
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.token = ""
	return true
}
