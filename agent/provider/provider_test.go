package provider_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/agnes-data/da/agent/provider"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/testing/providertest"
)

func TestAnthropic(t *testing.T)  { providertest.Run(t, provider.Anthropic) }
func TestOpenAI(t *testing.T)     { providertest.Run(t, provider.OpenAI) }
func TestCompatible(t *testing.T) { providertest.Run(t, provider.Compatible) }

// TestAServerThatDoesNotStream answers with one object, without ids, and with
// arguments that are objects.
func TestAServerThatDoesNotStream(t *testing.T) {
	s := providertest.NewServer(t, providertest.Script(providertest.Reply{Text: "so", Whole: true,
		Calls: []provider.Call{providertest.Call("", "look", map[string]any{"at": "x"}), providertest.Call("", "look", map[string]any{"at": "y"})}}))
	p, err := provider.New(s.Options(provider.Compatible))
	if err != nil {
		t.Fatal(err)
	}
	r, err := p.Send(t.Context(), provider.Request{MaxTokens: 10}, nil)
	if calls := r.Calls(); err != nil || r.Text() != "so" || r.Stop != provider.StopCalls || len(calls) != 2 || calls[1].Arguments != `{"at":"y"}` || calls[0].ID == calls[1].ID {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestAModelWithoutReasoning refuses to be asked for it, and is not asked again.
func TestAModelWithoutReasoning(t *testing.T) {
	s := providertest.NewServer(t, func(r providertest.Request) providertest.Reply {
		if strings.Contains(string(r.Raw), "reasoning.encrypted_content") {
			return providertest.Reply{Status: 400, Type: "invalid_request_error", Error: "Encrypted content is not supported with this model."}
		}
		return providertest.Reply{Text: "plain"}
	})
	p, err := provider.New(s.Options(provider.OpenAI))
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if r, err := p.Send(t.Context(), provider.Request{MaxTokens: 10}, nil); err != nil || r.Text() != "plain" {
			t.Errorf("%+v, %v", r, err)
		}
	}
	if n := len(s.Requests()); n != 3 {
		t.Errorf("%d requests", n)
	}
}

func TestOptionsThatCannotBe(t *testing.T) {
	good := provider.Options{Kind: provider.Compatible, Model: "m", BaseURL: "http://localhost:11434/v1/"}
	if _, err := provider.New(good); err != nil {
		t.Fatal(err)
	}
	for says, change := range map[string]func(*provider.Options){
		"there is no provider":  func(o *provider.Options) { o.Kind = "magic" },
		"no model":              func(o *provider.Options) { o.Model = "" },
		"is missing":            func(o *provider.Options) { o.BaseURL = "" },
		"must begin with":       func(o *provider.Options) { o.BaseURL = "ftp://x" },
		"must not hold a user":  func(o *provider.Options) { o.BaseURL = "https://ann:pw@x" },
		"must not have a query": func(o *provider.Options) { o.BaseURL = "https://x?a=b" },
		"is plain HTTP":         func(o *provider.Options) { o.BaseURL = "http://models.example.com/v1" },
	} {
		o := good
		change(&o)
		if _, err := provider.New(o); !api.CodeConfig.Is(err) || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "pw") {
			t.Errorf("%s: %v", says, err)
		}
	}
}

// TestCountsThatCannotBe take more than nothing from a budget: what was sent and
// received counts in their place.
func TestCountsThatCannotBe(t *testing.T) {
	for _, kind := range []provider.Kind{provider.Anthropic, provider.OpenAI, provider.Compatible} {
		for _, usage := range []provider.Usage{{Input: -1_000_000, Output: 5}, {Input: 10, Output: -5}, {Input: 1 << 62, Output: 1}} {
			s := providertest.NewServer(t, providertest.Script(providertest.Reply{Text: "so", Usage: usage}))
			p, err := provider.New(s.Options(kind))
			if err != nil {
				t.Fatal(err)
			}
			r, err := p.Send(t.Context(), provider.Request{MaxTokens: 10}, nil)
			if err != nil || !r.Usage.Estimated || r.Usage.Input < 1 || r.Usage.Input > 10_000 || r.Usage.Output < 1 {
				t.Errorf("%s %+v is %+v, %v", kind, usage, r.Usage, err)
			}
		}
	}
}

// TestBaseWithItsVersion takes a base URL that ends in the version, as other
// protocols have it.
func TestBaseWithItsVersion(t *testing.T) {
	s := providertest.NewServer(t, providertest.Script(providertest.Reply{Text: "so"}))
	o := s.Options(provider.Anthropic)
	o.BaseURL += "/v1"
	p, err := provider.New(o)
	if err != nil {
		t.Fatal(err)
	}
	if r, err := p.Send(t.Context(), provider.Request{MaxTokens: 10}, nil); err != nil || r.Text() != "so" {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestAReplyOfTooManyCalls ends soon, however many there are.
func TestAReplyOfTooManyCalls(t *testing.T) {
	calls := make([]provider.Call, 20_000)
	for i := range calls {
		calls[i] = providertest.Call(fmt.Sprint("c", i), "look", map[string]any{})
	}
	s := providertest.NewServer(t, providertest.Script(providertest.Reply{Calls: calls, Whole: true}))
	p, err := provider.New(s.Options(provider.Compatible))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Send(t.Context(), provider.Request{MaxTokens: 10}, nil); err == nil || !strings.Contains(err.Error(), "more than 1000 calls") {
		t.Errorf("%v", err)
	}
}

// TestASilentModelIsNotAskedAgain ends a request to which nothing comes, and sends it
// once: a slow model would begin anew each time.
func TestASilentModelIsNotAskedAgain(t *testing.T) {
	t.Parallel()
	hold := make(chan struct{})
	defer close(hold)
	server := providertest.NewServer(t, providertest.Script(providertest.Reply{Text: "late", Hold: hold}))
	options := server.Options(provider.Compatible)
	options.Silence = 20 * time.Millisecond
	p, err := provider.New(options)
	if err != nil {
		t.Fatal(err)
	}
	_, err = p.Send(t.Context(), provider.Request{Messages: []provider.Message{{Role: provider.User, Blocks: []provider.Block{{Text: "?"}}}}}, func(d provider.Delta) {
		if d.Again {
			t.Error("it is asked again")
		}
	})
	var e *api.Error
	if !errors.As(err, &e) || e.Code != api.CodeStalled || e.Details[provider.DetailBegun] != true || len(server.Requests()) > 1 {
		t.Errorf("%v after %d requests", err, len(server.Requests()))
	}
}
