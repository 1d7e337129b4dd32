package bucket

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"github.com/agnes-data/da/api"
)

// Lent are keys of S3 that a catalog lends for the objects below a place.
type Lent struct {
	At, Region                         string // At is s3://bucket/prefix
	AccessKey, SecretKey, SessionToken string
	Ends                               time.Time // zero: unknown
}

// unknownEnd is how long keys are used if the catalog does not say when they end.
const unknownEnd = 10 * time.Minute

type lentKey struct{}

// borrowed is a client with lent keys.
type borrowed struct {
	at     string
	client *minio.Client
}

// Borrow returns a context whose requests use the keys for what lies where these are
// for. Before they end, again asks for others.
func (b *Bucket) Borrow(ctx context.Context, keys []Lent, again func(context.Context) ([]Lent, error)) (context.Context, error) {
	if len(keys) == 0 || b.tokens != nil {
		return ctx, nil
	}
	if !b.confidential {
		return nil, &api.Error{Code: api.CodeConfig, Message: "keys that a catalog lends go to an endpoint of https://, or to this machine",
			Hint: "Use https:// in endpoint, or give the source keys of its own."}
	}
	all, _ := ctx.Value(lentKey{}).([]borrowed)
	all = slices.Clone(all)
	for _, l := range keys {
		options := b.options
		options.Region = cmp.Or(options.Region, l.Region)
		options.Creds = credentials.New(&lender{lent: l, fresh: true, again: again})
		options.Transport = expiring{options.Transport, options.Creds}
		client, err := minio.New(b.host, &options)
		if err != nil {
			return nil, b.failure(ctx, "", err)
		}
		all = append(all, borrowed{l.At, client})
	}
	return context.WithValue(ctx, lentKey{}, all), nil
}

// clientFor is the client for an object: the one with the keys for the longest prefix.
func (b *Bucket) clientFor(ctx context.Context, key string) *minio.Client {
	client, at, longest := b.client, "s3://"+b.name+"/"+b.prefix+key, -1
	all, _ := ctx.Value(lentKey{}).([]borrowed)
	for _, l := range all {
		if below(at, l.at) && len(l.at) >= longest {
			client, longest = l.client, len(l.at)
		}
	}
	return client
}

// expiring renews keys once the store calls them expired, even before the end that the catalog
// named. The client repeats the request by itself.
type expiring struct {
	next http.RoundTripper
	keys *credentials.Credentials
}

// RoundTrip implements http.RoundTripper.
func (e expiring) RoundTrip(r *http.Request) (*http.Response, error) {
	res, err := e.next.RoundTrip(r)
	if err != nil || res.StatusCode < 400 || res.StatusCode >= 500 {
		return res, err
	}
	said, err := io.ReadAll(io.LimitReader(res.Body, maxPage))
	_ = res.Body.Close() // it is read
	if bytes.Contains(said, []byte("<Code>ExpiredToken")) {
		// Of requests at the same time, the first one renews the keys.
		if now, err := e.keys.GetWithContext(nil); err == nil && now.SessionToken == r.Header.Get("X-Amz-Security-Token") {
			e.keys.Expire()
		}
	}
	res.Body = io.NopCloser(bytes.NewReader(said))
	return res, err
}

func below(at, prefix string) bool {
	return strings.HasPrefix(at, strings.TrimSuffix(prefix, "/")+"/")
}

// lender implements credentials.Provider; the client asks it again before keys end.
type lender struct {
	credentials.Expiry
	lent  Lent
	fresh bool // lent has not been used yet
	again func(context.Context) ([]Lent, error)
}

// RetrieveWithCredContext returns keys that are good for some time.
func (l *lender) RetrieveWithCredContext(*credentials.CredContext) (credentials.Value, error) {
	return l.Retrieve()
}

// Retrieve returns keys that are good for some time.
func (l *lender) Retrieve() (credentials.Value, error) {
	if !l.fresh {
		ctx, cancel := context.WithTimeout(context.Background(), stall)
		defer cancel()
		all, err := l.again(ctx)
		if err != nil {
			return credentials.Value{}, err
		}
		found := -1
		for i, k := range all {
			if below(l.lent.At+"/", k.At) && (found < 0 || len(k.At) > len(all[found].At)) {
				found = i
			}
		}
		if found < 0 {
			return credentials.Value{}, &api.Error{Code: api.CodeSource, Kind: api.KindPermissionDenied,
				Message: "the catalog lends no keys any more for the files of the table"}
		}
		at := l.lent.At
		l.lent, l.lent.At = all[found], at
	}
	l.fresh = false
	ends := l.lent.Ends
	if ends.IsZero() {
		ends = time.Now().Add(unknownEnd)
	}
	l.SetExpiration(ends, credentials.DefaultExpiryWindow)
	return credentials.Value{AccessKeyID: l.lent.AccessKey, SecretAccessKey: l.lent.SecretKey, SessionToken: l.lent.SessionToken,
		Expiration: ends, SignerType: credentials.SignatureV4}, nil
}
