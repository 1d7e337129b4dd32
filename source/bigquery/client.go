package bigquery

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"sync"

	"cloud.google.com/go/bigquery"
	storage "cloud.google.com/go/bigquery/storage/apiv1"
	"google.golang.org/api/option"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/build"
	"github.com/agnes-data/da/internal/googleauth"
)

// clients are the two clients of Google's that the source uses. The first request
// makes them, so that nobody needs credentials who reads only other tables. If
// that fails, the next request tries again.
type clients struct {
	o Options

	mu     sync.Mutex
	jobs   *bigquery.Client
	rows   *storage.BigQueryReadClient
	closed bool
}

func checkEndpoints(o Options) error {
	if o.Endpoint == "" {
		return nil
	}
	u, err := url.Parse(o.Endpoint)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return &api.Error{Code: api.CodeConfig, Message: "the endpoint of a source of type bigquery must be a URL, as in https://bigquery.example.com"}
	}
	if u.Scheme == "http" && o.CredentialsFile != "" {
		return &api.Error{Code: api.CodeConfig, Message: "credentials are not sent to an endpoint without TLS",
			Hint: "Use https:// in endpoint, or leave out credentials_file."}
	}
	return nil
}

// plain says that the endpoint has no TLS, as a test's or an emulator's. No
// credentials are sent to it.
func (o Options) plain() bool { return strings.HasPrefix(o.Endpoint, "http://") }

// options are the options of both clients.
func (o Options) options() []option.ClientOption {
	agent := option.WithUserAgent("da/" + build.Current().Version)
	switch {
	case o.plain():
		return []option.ClientOption{agent, option.WithoutAuthentication()}
	case o.CredentialsFile != "":
		return []option.ClientOption{agent, option.WithAuthCredentialsFile(option.ServiceAccount, o.CredentialsFile)}
	}
	return []option.ClientOption{agent}
}

// open returns the clients. The context limits the search for credentials.
func (c *clients) open(ctx context.Context) (*bigquery.Client, *storage.BigQueryReadClient, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, nil, &api.Error{Code: api.CodeInternal, Message: "the source is closed"}
	}
	if c.jobs != nil {
		return c.jobs, c.rows, nil
	}
	// A client keeps its first context for all its calls.
	ctx = context.WithoutCancel(ctx)
	opts := c.o.options()
	if c.o.Endpoint != "" {
		opts = append(opts, option.WithEndpoint(strings.TrimSuffix(c.o.Endpoint, "/")+"/bigquery/v2/"))
	}
	jobs, err := bigquery.NewClient(ctx, c.o.Project, opts...)
	if err != nil {
		return nil, nil, c.o.noClient(err)
	}
	jobs.Location = c.o.Location
	opts = c.o.options()
	if c.o.StorageEndpoint != "" {
		opts = append(opts, option.WithEndpoint(c.o.StorageEndpoint))
	}
	if c.o.plain() {
		opts = append(opts, option.WithGRPCDialOption(grpc.WithTransportCredentials(insecure.NewCredentials())))
	}
	rows, err := storage.NewBigQueryReadClient(ctx, opts...)
	if err != nil {
		return nil, nil, errors.Join(c.o.noClient(err), jobs.Close())
	}
	c.jobs, c.rows = jobs, rows
	return jobs, rows, nil
}

// noClient is the error if credentials cannot be used. Their file was valid when
// the instance was read, so it has changed or gone since.
func (o Options) noClient(err error) error {
	e := &api.Error{Code: api.CodeSource, Kind: api.KindCredentials, Err: err,
		Message: "BigQuery cannot be spoken to: there are no usable credentials",
		Hint:    "The operator must set credentials_file of the source, or GOOGLE_APPLICATION_CREDENTIALS, to a service account's key."}
	if o.CredentialsFile != "" {
		e.Message = "BigQuery cannot be spoken to: credentials_file of the source cannot be used any more"
		e.Hint = "The operator must put a service account's key there. " + api.InServerLog
		if fault := googleauth.KeyFault(o.CredentialsFile); fault != "" {
			e.Err = fmt.Errorf("credentials_file: %s %s", o.CredentialsFile, fault)
		}
	}
	return e
}

func (c *clients) close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	if c.jobs == nil {
		return nil
	}
	return errors.Join(c.jobs.Close(), c.rows.Close())
}
