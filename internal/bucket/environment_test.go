package bucket

import (
	"net/url"
	"os"
	"path/filepath"
	"testing"

	"github.com/minio/minio-go/v7/pkg/credentials"

	"github.com/agnes-data/da/api"
)

// TestTheEnvironmentsKeysStaySecret holds that AWS's keys of the environment go
// nowhere that others could read them, unless the instance file says so.
func TestTheEnvironmentsKeysStaySecret(t *testing.T) {
	const secret = "very-secret"
	none := func(t *testing.T) {
		t.Setenv("HOME", t.TempDir())
		for _, name := range []string{"AWS_ACCESS_KEY_ID", "AWS_ACCESS_KEY", "AWS_SECRET_ACCESS_KEY", "AWS_SECRET_KEY", "AWS_SESSION_TOKEN", "AWS_SHARED_CREDENTIALS_FILE", "AWS_PROFILE"} {
			t.Setenv(name, "")
		}
	}
	for where, has := range map[string]func(t *testing.T){
		"variables": func(t *testing.T) {
			t.Setenv("AWS_ACCESS_KEY_ID", "key")
			t.Setenv("AWS_SECRET_ACCESS_KEY", secret)
		},
		"a file": func(t *testing.T) {
			path := filepath.Join(os.Getenv("HOME"), ".aws", "credentials")
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte("[default]\naws_access_key_id = key\naws_secret_access_key = "+secret+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
		},
		"nothing": func(*testing.T) {},
	} {
		t.Run(where, func(t *testing.T) {
			none(t)
			has(t)
			for endpoint, safe := range map[string]bool{
				"": true, "https://store.example.com": true, "http://127.0.0.1:9000": true, "http://localhost:9000": true, "http://[::1]:9000": true,
				"http://store.example.com": false, "http://10.0.0.7:9000": false, "http://localhost.example.com": false,
			} {
				o := Options{URL: "s3://company/lake", Endpoint: endpoint}
				_, err := Open(o)
				if refused := !safe && where != "nothing"; refused != api.CodeConfig.Is(err) || !refused && err != nil {
					t.Errorf("%s: %v", endpoint, err)
				}
				silent(t, err, secret)
				o.AccessKey, o.SecretKey = "named", "in the file"
				if _, err := Open(o); err != nil {
					t.Errorf("%s, with keys of its own: %v", endpoint, err)
				}
			}
			// Who has none asks without, and does not ask the machine for its role.
			if where == "nothing" {
				bucket, _ := url.Parse("s3://company")
				store, _ := url.Parse("http://10.0.0.7:9000")
				c, err := Options{}.credentials(bucket, store)
				if err != nil {
					t.Fatal(err)
				}
				if v, err := c.GetWithContext(nil); err != nil || v.SignerType != credentials.SignatureAnonymous {
					t.Errorf("%+v, %v", v.SignerType, err)
				}
			}
		})
	}
}
