package provider

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/junction-platform/terraform-provider-junction/internal/api"
	"github.com/junction-platform/terraform-provider-junction/internal/contract"
)

// shown is one object that exists, with everything that the API shows of it.
type shown struct {
	contract contract.Resource
	client   *api.Client
}

var _ datasource.DataSourceWithConfigure = (*shown)(nil)

func (s *shown) Metadata(_ context.Context, request datasource.MetadataRequest, response *datasource.MetadataResponse) {
	response.TypeName = request.ProviderTypeName + "_" + s.contract.Name
}

func (s *shown) Schema(_ context.Context, _ datasource.SchemaRequest, response *datasource.SchemaResponse) {
	attributes := map[string]schema.Attribute{}
	for _, member := range s.contract.Shown {
		attributes[member.Name] = dataAttribute(member, member.Name == s.contract.Identity)
	}
	response.Schema = schema.Schema{
		Description: fmt.Sprintf("One %s that exists, by its `%s`. %s", s.contract.Name, s.contract.Identity, s.contract.Description),
		Attributes:  attributes,
	}
}

func (s *shown) Configure(_ context.Context, request datasource.ConfigureRequest, _ *datasource.ConfigureResponse) {
	s.client, _ = request.ProviderData.(*api.Client)
}

func (s *shown) Read(ctx context.Context, request datasource.ReadRequest, response *datasource.ReadResponse) {
	config, err := valuesIn(request.Config.Raw)
	if err != nil {
		response.Diagnostics.AddError("The configuration cannot be read", err.Error())
		return
	}
	found, err := read(ctx, s.client, s.contract, config)
	if err == nil && found == nil {
		err = fmt.Errorf("there is none with this %s", s.contract.Identity)
	}
	if err != nil {
		response.Diagnostics.Append(refusal(s.contract, "show", err)...)
		return
	}
	result := values{}
	for _, member := range s.contract.Shown {
		value, err := shownOr(found, member, nil)
		if err != nil {
			response.Diagnostics.AddError("The API's answer is not as the contract says", err.Error())
			return
		}
		result[member.Name] = value
	}
	result[s.contract.Identity] = config[s.contract.Identity]
	response.State.Raw = tftypes.NewValue(request.Config.Raw.Type(), map[string]tftypes.Value(result))
}
