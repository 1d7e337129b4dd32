package flightsql

import (
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/url"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/agnes-data/da/internal/build"
	"github.com/agnes-data/da/internal/disk/kernelfs"
)

// dial prepares the connection. It is opened when it is first needed.
func dial(o Options) (*grpc.ClientConn, error) {
	const form = "It is grpc+tls://host:port, or grpc://host:port where there is no TLS."
	u, err := url.Parse(o.URI)
	if err != nil || u.Hostname() == "" || u.Port() == "" || u.User != nil || u.Path != "" && u.Path != "/" || u.RawQuery != "" {
		return nil, badOption("the uri of a Flight SQL source is not valid", form)
	}
	var creds credentials.TransportCredentials
	switch u.Scheme {
	case "grpc+tls":
		if creds, err = secured(o.CAFile, u.Hostname()); err != nil {
			return nil, err
		}
	case "grpc", "grpc+tcp":
		if (o.Token != "" || o.User != "") && !loopback(u.Hostname()) {
			return nil, badOption("a Flight SQL source with credentials needs TLS: anybody on the way could read them",
				"Use grpc+tls://, with ca_file if the engine's certificate is one of your own.")
		}
		creds = insecure.NewCredentials()
	default:
		return nil, badOption("the uri of a Flight SQL source is not valid", form)
	}
	wait := backoff.DefaultConfig
	wait.MaxDelay = 5 * time.Second // soon connect to an engine that is up again
	conn, err := grpc.NewClient(u.Host,
		grpc.WithTransportCredentials(creds),
		grpc.WithUserAgent("da/"+build.Current().Version),
		grpc.WithConnectParams(grpc.ConnectParams{Backoff: wait, MinConnectTimeout: 10 * time.Second}),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(maxMessage)),
		// Ignore configuration from the name service: it could send calls to
		// another host.
		grpc.WithDisableServiceConfig())
	if err != nil {
		return nil, badOption("the uri of a Flight SQL source is not valid", form)
	}
	return conn, nil
}

func secured(caFile, host string) (credentials.TransportCredentials, error) {
	config := &tls.Config{MinVersion: tls.VersionTLS12, ServerName: host}
	if caFile != "" {
		pem, err := kernelfs.ReadFile(caFile, 1<<20)
		if err != nil {
			return nil, badOption("the ca_file of a Flight SQL source cannot be read: "+err.Error(), "")
		}
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(pem) {
			return nil, badOption("the ca_file of a Flight SQL source holds no certificate", "It holds certificates in PEM.")
		}
	}
	return credentials.NewTLS(config), nil
}

// loopback reports whether a host is this machine.
func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
