// Package provider is the Terraform and OpenTofu provider for what is configured in Junction. Its resources are those that the
// contract describes (package contract): this package has one form for all.
package provider

import (
	"context"
	"os"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/junction-platform/terraform-provider-junction/internal/api"
	"github.com/junction-platform/terraform-provider-junction/internal/contract"
)

// The environment variables of the command line and of the SDKs, and those that the documentation's examples use.
var (
	urlVariables = []string{"JUNCTION_BASE_URL", "JUNCTION_URL"}
	keyVariables = []string{"JUNCTION_API_KEY", "JUNCTION_KEY"}
)

type junction struct{ version string }

// New returns the provider of a version.
func New(version string) func() provider.Provider {
	return func() provider.Provider { return &junction{version} }
}

func (j *junction) Metadata(_ context.Context, _ provider.MetadataRequest, response *provider.MetadataResponse) {
	response.TypeName = "junction"
	response.Version = j.version
}

func (j *junction) Schema(_ context.Context, _ provider.SchemaRequest, response *provider.SchemaResponse) {
	response.Schema = schema.Schema{
		Description: "Manages what is configured in Junction. The key decides the workspace and the environment (live or sandbox).",
		Attributes: map[string]schema.Attribute{
			"base_url": schema.StringAttribute{
				Optional:    true,
				Description: "The service's URL. Without it, the environment variable `JUNCTION_BASE_URL` (or `JUNCTION_URL`).",
			},
			"key": schema.StringAttribute{
				Optional:    true,
				Sensitive:   true,
				Description: "An API key. Without it, the environment variable `JUNCTION_API_KEY` (or `JUNCTION_KEY`).",
			},
		},
	}
}

func (j *junction) Configure(ctx context.Context, request provider.ConfigureRequest, response *provider.ConfigureResponse) {
	var config struct {
		BaseURL types.String `tfsdk:"base_url"`
		Key     types.String `tfsdk:"key"`
	}
	response.Diagnostics.Append(request.Config.Get(ctx, &config)...)
	if response.Diagnostics.HasError() {
		return
	}
	if config.BaseURL.IsUnknown() || config.Key.IsUnknown() {
		response.Diagnostics.AddError("The provider's settings are not known yet",
			"base_url and key cannot come from a resource that is created in the same run. Create that resource first, with -target.")
		return
	}
	baseURL := textOr(config.BaseURL, urlVariables)
	key := textOr(config.Key, keyVariables)
	if baseURL == "" {
		response.Diagnostics.AddAttributeError(path.Root("base_url"), "There is no URL", "Set base_url, or the environment variable JUNCTION_BASE_URL.")
	}
	if key == "" {
		response.Diagnostics.AddAttributeError(path.Root("key"), "There is no key", "Set key, or the environment variable JUNCTION_API_KEY.")
	}
	if response.Diagnostics.HasError() {
		return
	}
	client, err := api.New(baseURL, key, "junction-terraform/"+j.version, contract.APIVersion)
	if err != nil {
		response.Diagnostics.AddError("The provider's settings are not usable", sentence(err.Error()))
		return
	}
	response.ResourceData = client
	response.DataSourceData = client
}

func textOr(value types.String, variables []string) string {
	for _, name := range variables {
		if value.ValueString() == "" {
			value = types.StringValue(os.Getenv(name))
		}
	}
	return value.ValueString()
}

func (j *junction) Resources(context.Context) []func() resource.Resource {
	all := make([]func() resource.Resource, 0, len(contract.Resources))
	for _, one := range contract.Resources {
		all = append(all, func() resource.Resource { return &managed{contract: one} })
	}
	return all
}

func (j *junction) DataSources(context.Context) []func() datasource.DataSource {
	all := make([]func() datasource.DataSource, 0, len(contract.Resources))
	for _, one := range contract.Resources {
		all = append(all, func() datasource.DataSource { return &shown{contract: one} })
	}
	return all
}
