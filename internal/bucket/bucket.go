package bucket

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/googleauth"
)

// Options select the objects and the credentials.
type Options struct {
	// URL is s3://bucket/prefix, or gs://bucket/prefix for Google's store.
	URL string
	// Endpoint is the store's own URL, http://host:port or https://host; empty:
	// that of the URL's scheme.
	Endpoint string
	Region   string // empty: ask the store
	// Without keys, S3 uses the environment as AWS's tools do, or the machine's
	// role; without any credentials, the objects must be public. Google's store
	// accepts the HMAC keys of a service account; without keys it uses the
	// account's key in CredentialsFile, or the environment. Environment
	// credentials are never sent to an http:// Endpoint, except AWS's keys to
	// this machine.
	AccessKey, SecretKey string
	CredentialsFile      string
}

// Bucket is a prefix of a bucket.
type Bucket struct {
	client       *minio.Client
	name, prefix string             // the prefix ends in a slash, or is empty
	tokens       *googleauth.Tokens // nil: requests are signed with keys, or anonymous
	anonymous    bool

	host         string // of the store; with options, for clients with other keys
	options      minio.Options
	confidential bool // nobody on the way reads requests
}

// Object is one object as a listing has it.
type Object struct {
	Key      string // below the prefix
	Size     int64
	ETag     string // changes with the content
	Modified time.Time
}

// endpoints are the stores of the schemes.
var endpoints = map[string]string{"s3": "https://s3.amazonaws.com", "gs": "https://storage.googleapis.com"}

// stall is how long a store may take before its answer starts.
const stall = 30 * time.Second

// Open checks the options without contacting the store.
func Open(o Options) (*Bucket, error) {
	u, err := url.Parse(o.URL)
	if err != nil || endpoints[u.Scheme] == "" || u.Host == "" || u.RawQuery != "" || u.User != nil {
		return nil, invalid("the bucket of a lake is s3://bucket/prefix or gs://bucket/prefix")
	}
	at := o.Endpoint
	if at == "" {
		at = endpoints[u.Scheme]
	}
	e, err := url.Parse(at)
	if err != nil || e.Host == "" || e.Scheme != "http" && e.Scheme != "https" || strings.Trim(e.Path, "/") != "" || e.User != nil {
		return nil, invalid("the endpoint of a lake is a URL such as https://minio.example.com:9000")
	}
	prefix := strings.Trim(u.Path, "/")
	if prefix != "" {
		prefix += "/"
	}
	transport, err := minio.DefaultTransport(e.Scheme == "https")
	if err != nil {
		return nil, fmt.Errorf("open a bucket: %w", err)
	}
	transport.ResponseHeaderTimeout = stall
	tokens, err := o.tokens(u, e)
	if err != nil {
		return nil, err
	}
	creds, err := o.credentials(u, e)
	if err != nil {
		return nil, err
	}
	options := minio.Options{Creds: creds, Secure: e.Scheme == "https", Region: o.Region, Transport: bounded{transport}, MaxRetries: 3}
	if o.Endpoint != "" || tokens != nil {
		options.BucketLookup = minio.BucketLookupPath // one host for all
	}
	if tokens != nil {
		options.Transport = &bearer{next: options.Transport, endpoint: e, tokens: tokens}
	}
	if o.account(u) {
		options.Region = "auto" // otherwise the client asks for the region, which needs an extra permission
	}
	client, err := minio.New(e.Host, &options)
	if err != nil {
		return nil, invalid("the bucket of a lake cannot be used: " + err.Error())
	}
	return &Bucket{client: client, name: u.Host, prefix: prefix, tokens: tokens, anonymous: o.AccessKey == "" && tokens == nil &&
		(o.account(u) || !confidential(e)), host: e.Host, options: options, confidential: confidential(e)}, nil
}

// account reports whether a Google account is used instead of keys.
func (o Options) account(u *url.URL) bool { return u.Scheme == "gs" && o.AccessKey == "" }

// tokens returns the tokens to send instead of signatures; nil: requests are
// signed or anonymous. A token is like a password, so nobody on the way may read
// it. Environment credentials were not meant for other programs that listen on
// this machine, so without TLS they are not sent at all.
func (o Options) tokens(u, endpoint *url.URL) (*googleauth.Tokens, error) {
	switch {
	case o.CredentialsFile != "" && u.Scheme != "gs":
		return nil, invalid("credentials_file is for buckets of gs://")
	case o.CredentialsFile != "" && o.AccessKey != "":
		return nil, invalid("a bucket has credentials_file or access_key, not both")
	case o.CredentialsFile != "" && !confidential(endpoint):
		return nil, &api.Error{Code: api.CodeConfig, Message: "credentials are not sent to an endpoint without TLS",
			Hint: "Use https:// in endpoint, or leave out credentials_file."}
	case !o.account(u), o.CredentialsFile == "" && endpoint.Scheme != "https":
		return nil, nil
	}
	return googleauth.Open(o.CredentialsFile, googleauth.ReadStorage)
}

// credentials returns the credentials for signing requests. Environment
// credentials are only for stores that prove their identity, because a signature
// and a session token can be read and used on the way.
func (o Options) credentials(u, endpoint *url.URL) (*credentials.Credentials, error) {
	anonymous := credentials.NewStatic("", "", "", credentials.SignatureAnonymous)
	environment := []credentials.Provider{&credentials.EnvAWS{}, &credentials.FileAWSCredentials{}}
	switch {
	case o.account(u):
		return anonymous, nil
	case o.AccessKey != "":
		return credentials.NewStaticV4(o.AccessKey, o.SecretKey, ""), nil
	case !confidential(endpoint):
		// Report this now: the store would only refuse the request without a
		// reason.
		if found, err := credentials.NewChainCredentials(environment).GetWithContext(nil); err == nil && found.AccessKeyID != "" {
			return nil, &api.Error{Code: api.CodeConfig, Message: "the environment's AWS credentials are not sent to an endpoint without TLS",
				Hint: "Use https:// in endpoint, or say in the instance file that these keys may go there: access_key or access_key_env, and secret_key or secret_key_env."}
		}
		return anonymous, nil
	}
	return credentials.NewChainCredentials(append(environment, &credentials.IAM{Client: &http.Client{Timeout: 2 * time.Second}})), nil
}

func invalid(message string) error { return &api.Error{Code: api.CodeConfig, Message: message} }

// List calls each for every object whose key starts with a prefix, in order of
// their keys. It skips keys that only mark a folder.
func (b *Bucket) List(ctx context.Context, prefix string, each func(Object) error) error {
	if err := b.authorised(ctx); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx) // ends the listing if each does
	defer cancel()
	for o := range b.clientFor(ctx, prefix).ListObjects(ctx, b.name, minio.ListObjectsOptions{Prefix: b.prefix + prefix, Recursive: true}) {
		if o.Err != nil {
			return b.failure(ctx, "", o.Err)
		}
		key, below := strings.CutPrefix(o.Key, b.prefix)
		if !below || key == "" || strings.HasSuffix(key, "/") {
			continue
		}
		if o.ETag == "" {
			return &api.Error{Code: api.CodeSource, Kind: api.KindNoETags,
				Message: "the object store gives no ETags, without which a change cannot be seen"}
		}
		if err := each(Object{Key: key, Size: o.Size, ETag: o.ETag, Modified: o.LastModified}); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// Read reads n bytes of an object from an offset. The error is api.KindChangedMeanwhile
// if the object is no longer the listed one. The caller closes the reader.
func (b *Bucket) Read(ctx context.Context, o Object, from, n int64) (io.ReadCloser, error) {
	if n == 0 {
		return io.NopCloser(strings.NewReader("")), nil
	}
	if err := b.authorised(ctx); err != nil {
		return nil, err
	}
	var options minio.GetObjectOptions
	if err := options.SetRange(from, from+n-1); err != nil {
		return nil, fmt.Errorf("read %d bytes from %d: %w", n, from, err)
	}
	if err := options.SetMatchETag(o.ETag); err != nil {
		return nil, fmt.Errorf("read an object: %w", err)
	}
	core := minio.Core{Client: b.clientFor(ctx, o.Key)}
	body, info, header, err := core.GetObject(ctx, b.name, b.prefix+o.Key, options)
	if err != nil {
		return nil, b.failure(ctx, o.Key, err)
	}
	if err := checkPart(o, from, n, info, header.Get("Content-Range")); err != nil {
		_ = body.Close()
		return nil, err
	}
	return body, nil
}

// checkPart checks that an answer is the requested part of the listed object,
// because not every store supports conditions and ranges.
func checkPart(o Object, from, n int64, info minio.ObjectInfo, is string) error {
	part, total, ranged := strings.Cut(is, "/")
	switch {
	case info.ETag != o.ETag, ranged && total != strconv.FormatInt(o.Size, 10) && total != "*":
		return changed(o.Key)
	case ranged && part != fmt.Sprintf("bytes %d-%d", from, from+n-1), !ranged && info.Size < 0, info.Size >= 0 && info.Size != n, !ranged &&
		from > 0:
		return &api.Error{Code: api.CodeSource, Kind: api.KindStrangeAnswer,
			Message: fmt.Sprintf("the object store sends another part of %s than it was asked for", api.Clip(o.Key, 200)),
			Hint:    "The operator must see to it that the store serves ranges of bytes, and objects as they are stored."}
	}
	return nil
}

// authorised gets the token before a request is made, which would only be tried
// again and again without one.
func (b *Bucket) authorised(ctx context.Context) error {
	if b.tokens == nil {
		return nil
	}
	if _, err := b.tokens.Token(ctx); err != nil {
		return b.failure(ctx, "", err)
	}
	return nil
}

func changed(key string) error {
	return &api.Error{Code: api.CodeSource, Kind: api.KindChangedMeanwhile,
		Message: fmt.Sprintf("the object %s has changed meanwhile", api.Clip(key, 200)), Hint: "Ask again."}
}

// failure translates an error of the store into the vocabulary.
func (b *Bucket) failure(ctx context.Context, key string, err error) error {
	if settled, ok := api.Settled(ctx, err, "the object store"); ok {
		return settled
	}
	out := &api.Error{Code: api.CodeSource, Kind: api.KindUnreachable, Message: "the object store cannot be read", Err: err,
		Hint: api.InServerLog}
	switch e := minio.ToErrorResponse(err); {
	case e.Code == "NoSuchBucket":
		out.Kind, out.Message, out.Hint = api.KindNoBucket, "the object store has no such bucket",
			"The operator must correct the bucket of the source."
	case e.StatusCode == http.StatusPreconditionFailed, e.StatusCode == http.StatusRequestedRangeNotSatisfiable, e.Code == "NoSuchKey" &&
		key != "":
		return changed(key)
	case e.StatusCode == http.StatusUnauthorized, e.StatusCode == http.StatusForbidden:
		out.Kind, out.Message = api.KindPermissionDenied, "the object store does not let the server read this"
		out.Hint = "The operator must correct the source's keys, or let them list the bucket and read its objects."
		if b.tokens != nil {
			out.Hint = "The operator must give the source's credentials a role that lists the bucket and reads its objects, as Storage Object Viewer does, or the source others: credentials_file, or keys."
		}
		if b.anonymous {
			out.Hint = "An endpoint of http:// is sent no credentials of the environment: the operator must use https:// in endpoint, or give the source keys."
		}
	}
	return out
}
