package provider

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/junction-platform/terraform-provider-junction/internal/api"
	"github.com/junction-platform/terraform-provider-junction/internal/contract"
)

// answered is the name of the digests in what the state keeps for the provider.
const answered = "answered"

// managed is one kind of object, as its description in the contract says.
type managed struct {
	contract contract.Resource
	client   *api.Client
}

var (
	_ resource.ResourceWithConfigure      = (*managed)(nil)
	_ resource.ResourceWithImportState    = (*managed)(nil)
	_ resource.ResourceWithModifyPlan     = (*managed)(nil)
	_ resource.ResourceWithValidateConfig = (*managed)(nil)
)

func (m *managed) Metadata(_ context.Context, request resource.MetadataRequest, response *resource.MetadataResponse) {
	response.TypeName = request.ProviderTypeName + "_" + m.contract.Name
}

func (m *managed) Schema(_ context.Context, _ resource.SchemaRequest, response *resource.SchemaResponse) {
	response.Schema = resourceSchema(m.contract)
}

func (m *managed) Configure(_ context.Context, request resource.ConfigureRequest, _ *resource.ConfigureResponse) {
	m.client, _ = request.ProviderData.(*api.Client)
}

func (m *managed) ValidateConfig(_ context.Context, request resource.ValidateConfigRequest, response *resource.ValidateConfigResponse) {
	config, err := valuesIn(request.Config.Raw)
	if err != nil {
		response.Diagnostics.AddError("The configuration cannot be read", err.Error())
		return
	}
	for _, member := range m.contract.Members {
		if isWriteOnly(member, config) && !config[member.Name].IsNull() {
			response.Diagnostics.AddAttributeError(path.Root(member.Name+writeOnly), "A value is set twice",
				fmt.Sprintf("Set %s or %s%s, not both.", member.Name, member.Name, writeOnly))
		}
	}
}

func (m *managed) ModifyPlan(_ context.Context, request resource.ModifyPlanRequest, response *resource.ModifyPlanResponse) {
	if request.Plan.Raw.IsNull() {
		return
	}
	config, errConfig := valuesIn(request.Config.Raw)
	state, errState := valuesIn(request.State.Raw)
	if errConfig != nil || errState != nil {
		response.Diagnostics.AddError("The configuration cannot be read", fmt.Sprint(errConfig, errState))
		return
	}
	result, err := plan(m.contract, config, state)
	if err != nil {
		response.Diagnostics.AddError("The configuration cannot be planned", err.Error())
		return
	}
	response.Plan.Raw = tftypes.NewValue(request.Plan.Raw.Type(), map[string]tftypes.Value(result.values))
	for _, name := range result.replace {
		response.RequiresReplace.Append(path.Root(name))
	}
}

func (m *managed) Create(ctx context.Context, request resource.CreateRequest, response *resource.CreateResponse) {
	config, planned, err := both(request.Config.Raw, request.Plan.Raw)
	if err != nil {
		response.Diagnostics.AddError("The plan cannot be read", err.Error())
		return
	}
	found, err := m.create(ctx, config, planned)
	if err != nil {
		response.Diagnostics.Append(refusal(m.contract, "create", err)...)
		return
	}
	response.Diagnostics.Append(m.keep(&response.State, planned, nil, found)...)
	response.Diagnostics.Append(response.Private.SetKey(ctx, answered, m.digestsOf(found))...)
}

func (m *managed) create(ctx context.Context, config, planned values) (object, error) {
	if m.contract.Create.Method == http.MethodPut {
		// A PUT would change an object that exists, which no one has imported.
		if found, err := read(ctx, m.client, m.contract, planned); err != nil || found != nil {
			if err == nil {
				err = fmt.Errorf("it exists already. Import it, or choose another %s", m.contract.Identity)
			}
			return nil, err
		}
	}
	body, err := bodyOf(m.contract, planned, config, func(member contract.Member) bool {
		return !config[member.Name].IsNull() || isWriteOnly(member, config)
	})
	if err != nil {
		return nil, err
	}
	return m.write(ctx, m.contract.Create, planned, body)
}

func (m *managed) write(ctx context.Context, operation contract.Operation, values values, body []byte) (object, error) {
	path, err := pathOf(operation, values)
	if err != nil {
		return nil, err
	}
	text, err := m.client.Write(ctx, operation.Method, path, body)
	if err != nil {
		return nil, err
	}
	var found object
	if err := json.Unmarshal(text, &found); err != nil {
		return nil, fmt.Errorf("the object was written, but the API's answer is not an object: %w", err)
	}
	return found, nil
}

func (m *managed) Read(ctx context.Context, request resource.ReadRequest, response *resource.ReadResponse) {
	state, err := valuesIn(request.State.Raw)
	if err != nil {
		response.Diagnostics.AddError("The state cannot be read", err.Error())
		return
	}
	found, err := read(ctx, m.client, m.contract, state)
	if err != nil {
		response.Diagnostics.Append(refusal(m.contract, "read", err)...)
		return
	}
	if found == nil {
		response.State.RemoveResource(ctx)
		return
	}
	text, diagnostics := request.Private.GetKey(ctx, answered)
	response.Diagnostics.Append(diagnostics...)
	last := digests{}
	// Without digests, after an import, every member is as the API shows it.
	_ = json.Unmarshal(text, &last)
	result, err := refreshed(m.contract, state, found, last)
	if err != nil {
		response.Diagnostics.AddError("The API's answer is not as the contract says", err.Error())
		return
	}
	response.State.Raw = tftypes.NewValue(request.State.Raw.Type(), map[string]tftypes.Value(result))
	response.Diagnostics.Append(response.Private.SetKey(ctx, answered, m.digestsOf(found))...)
}

func (m *managed) Update(ctx context.Context, request resource.UpdateRequest, response *resource.UpdateResponse) {
	config, planned, err := both(request.Config.Raw, request.Plan.Raw)
	state, errState := valuesIn(request.State.Raw)
	if err != nil || errState != nil {
		response.Diagnostics.AddError("The plan cannot be read", fmt.Sprint(err, errState))
		return
	}
	body, err := bodyOf(m.contract, planned, config, func(member contract.Member) bool {
		if isWriteOnly(member, config) {
			return m.contract.Update.Method == http.MethodPut || isSentAgain(member, planned, state)
		}
		if m.contract.Update.Method == http.MethodPut {
			return !planned[member.Name].IsNull()
		}
		return !planned[member.Name].Equal(state[member.Name])
	})
	var found object
	switch {
	case err != nil:
	case string(body) == "{}":
		// Only the number of a write-only value was removed: the API has nothing to change.
		found, err = read(ctx, m.client, m.contract, state)
	default:
		found, err = m.write(ctx, m.contract.Update, state, body)
	}
	if err != nil {
		response.Diagnostics.Append(refusal(m.contract, "change", err)...)
		return
	}
	response.Diagnostics.Append(m.keep(&response.State, planned, state, found)...)
	response.Diagnostics.Append(response.Private.SetKey(ctx, answered, m.digestsOf(found))...)
}

func (m *managed) Delete(ctx context.Context, request resource.DeleteRequest, response *resource.DeleteResponse) {
	state, err := valuesIn(request.State.Raw)
	if err == nil {
		var path string
		if path, err = pathOf(m.contract.Delete, state); err == nil {
			_, err = m.client.Write(ctx, m.contract.Delete.Method, path, nil)
		}
	}
	if err != nil && !isNotFound(err) {
		response.Diagnostics.Append(refusal(m.contract, "delete", err)...)
	}
}

func (m *managed) ImportState(ctx context.Context, request resource.ImportStateRequest, response *resource.ImportStateResponse) {
	response.Diagnostics.Append(response.State.SetAttribute(ctx, path.Root(m.contract.Identity), request.ID)...)
}

// keep sets the state after a write. It is set even if a member cannot be read, so that the object is not lost.
func (m *managed) keep(state *tfsdk.State, planned, before values, found object) diag.Diagnostics {
	var diagnostics diag.Diagnostics
	result, err := settled(m.contract, planned, before, found)
	if err != nil {
		diagnostics.AddError("The API's answer is not as the contract says", err.Error())
	}
	state.Raw = tftypes.NewValue(state.Schema.Type().TerraformType(context.Background()), map[string]tftypes.Value(result))
	return diagnostics
}

func (m *managed) digestsOf(found object) []byte {
	text, _ := json.Marshal(found.digests(m.contract))
	return text
}

func both(config, plan tftypes.Value) (values, values, error) {
	first, err := valuesIn(config)
	if err != nil {
		return nil, nil, err
	}
	second, err := valuesIn(plan)
	return first, second, err
}
