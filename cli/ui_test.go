package cli

import (
	"bufio"
	"io"
	"net/http"
	"net/http/cookiejar"
	"regexp"
	"strings"
	"syscall"
	"testing"
)

// openPage starts da ui and returns the address and the code of its link, and
// what ends it.
func openPage(t *testing.T, p *place) (address, code string, end func() error) {
	t.Helper()
	cmd := p.command("ui", "--no-open")
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := false
	end = func() error {
		ended = true
		_ = cmd.Process.Signal(syscall.SIGINT)
		return cmd.Wait()
	}
	t.Cleanup(func() {
		if !ended {
			_ = end()
		}
	})
	link := regexp.MustCompile(`^(http://127\.0\.0\.1:\d+)/#code=(\w+)$`)
	for lines := bufio.NewScanner(stdout); lines.Scan(); {
		if m := link.FindStringSubmatch(lines.Text()); m != nil {
			go func() { _, _ = io.Copy(io.Discard, stdout) }()
			return m[1], m[2], end
		}
	}
	t.Fatal("da ui printed no link")
	return "", "", nil
}

func TestUIOpensTheInstanceWithALinkThatWorksOnce(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	address, code, end := openPage(t, p)
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	browser := &http.Client{Jar: jar}
	send := func(method, path, body, key string) (int, string) {
		t.Helper()
		req, err := http.NewRequest(method, address+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("X-Agnes-Page", key)
		if body != "" {
			req.Header.Set("Content-Type", "application/json")
		}
		res, err := browser.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		data, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		return res.StatusCode, string(data)
	}
	if status, page := send("GET", "/", "", ""); status != 200 || !strings.Contains(page, "<noscript>") {
		t.Errorf("the page: %d", status)
	}
	if status, body := send("GET", "/api/v2/catalog", "", ""); status != 401 {
		t.Errorf("the catalog before signing in: %d %s", status, body)
	}
	status, body := send("POST", "/api/page/sign-ins", `{"token":"`+code+`"}`, "")
	key := regexp.MustCompile(`"key":"(\w+)"`).FindStringSubmatch(body)
	if status != 201 || key == nil {
		t.Fatalf("sign in: %d %s", status, body)
	}
	if status, body := send("GET", "/api/v2/catalog", "", key[1]); status != 200 || !strings.Contains(body, "flights") {
		t.Errorf("the catalog: %d %s", status, body)
	}
	if status, _ := send("POST", "/api/page/sign-ins", `{"token":"`+code+`"}`, ""); status != 401 {
		t.Errorf("the link a second time: %d", status)
	}
	if err := end(); err != nil {
		t.Errorf("Ctrl-C: %v", err)
	}
}
