package ask

import (
	"github.com/spf13/cobra"

	"github.com/agnes-data/da/agent/provider"
	"github.com/agnes-data/da/api"
)

type askOptions struct {
	modelOptions
	files        []string
	goOn, apply  bool
	estimate     bool
	conversation string
	test         testOptions
	// through, if not nil, wraps the model.
	through func(provider.Provider) provider.Provider
}

// modelOptions say which model answers and what it may cost.
type modelOptions struct {
	provider, model, baseURL string
	budget                   string
}

func (o *modelOptions) register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.provider, "provider", "", "`protocol` of the model: anthropic, openai or compatible (agent.provider)")
	f.StringVar(&o.model, "model", "", "`name` of the model (agent.model)")
	f.StringVar(&o.baseURL, "base-url", "", "`URL` of the model's provider (agent.base_url)")
	f.StringVar(&o.budget, "budget", "", "most `money` that the conversation may cost, in the currency of the prices (agent.budget)")
}

// registerTalk adds the flags for the conversation and its files.
func (o *askOptions) registerTalk(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringArrayVar(&o.files, "file", nil, "put this `file` into the workspace, and attach it to the question; may be given several times")
	f.BoolVar(&o.apply, "apply", false, "make what the model changes in files at once, not in a draft alone")
	f.BoolVar(&o.goOn, "continue", false, "go on with the last conversation")
	f.StringVar(&o.conversation, "conversation", "", "go on with the conversation of this `id`")
}

// noConversation adds to the error about an unknown conversation how to list
// them.
func noConversation(err error) error {
	if e, ok := err.(*api.Error); ok && e.Kind == api.KindUnknownConversation { //nolint:errorlint // always unwrapped
		e.Hint = "da conversations list shows them; da ask begins one."
	}
	return err
}
