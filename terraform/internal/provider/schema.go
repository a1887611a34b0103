package provider

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	datasource "github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/junction-platform/terraform-provider-junction/internal/contract"
)

const (
	writeOnly = "_wo"
	// version is the suffix of the number that a configuration raises to have a write-only value sent again.
	version = "_wo_version"
)

// hasWriteOnly is true for a secret that a configuration can also set without storing it.
func hasWriteOnly(member contract.Member) bool { return member.Input && member.Sensitive }

func resourceSchema(of contract.Resource) schema.Schema {
	attributes := map[string]schema.Attribute{}
	for _, member := range of.Members {
		attributes[member.Name] = attribute(member, isComputed(member))
		if hasWriteOnly(member) {
			attributes[member.Name+writeOnly] = writeOnlyAttribute(member)
			attributes[member.Name+version] = schema.Int64Attribute{
				Optional:    true,
				Description: fmt.Sprintf("Any number. If it changes, `%s%s` is sent again.", member.Name, writeOnly),
			}
		}
	}
	return schema.Schema{Description: of.Description, Attributes: attributes}
}

// isComputed is true for a member that has a value where the configuration says nothing.
func isComputed(member contract.Member) bool {
	return !member.Required && (!member.Input || member.Chosen || member.Default != nil)
}

func attribute(member contract.Member, computed bool) schema.Attribute {
	description := describe(member)
	optional := member.Input && !member.Required
	required := member.Input && member.Required
	switch of := member.Type; of.Kind {
	case contract.Integer:
		return schema.Int64Attribute{Required: required, Optional: optional, Computed: computed, Sensitive: member.Sensitive, Description: description}
	case contract.Number:
		return schema.NumberAttribute{Required: required, Optional: optional, Computed: computed, Sensitive: member.Sensitive, Description: description}
	case contract.Bool:
		return schema.BoolAttribute{Required: required, Optional: optional, Computed: computed, Sensitive: member.Sensitive, Description: description}
	case contract.List:
		return schema.ListAttribute{ElementType: element(of), Required: required, Optional: optional, Computed: computed, Sensitive: member.Sensitive, Description: description, Validators: listValidators(of)}
	case contract.Map:
		return schema.MapAttribute{ElementType: element(of), Required: required, Optional: optional, Computed: computed, Sensitive: member.Sensitive, Description: description}
	case contract.Object:
		inner := map[string]schema.Attribute{}
		for _, one := range of.Members {
			inner[one.Name] = attribute(one, false)
		}
		return schema.SingleNestedAttribute{Attributes: inner, Required: required, Optional: optional, Computed: computed, Sensitive: member.Sensitive, Description: description}
	default:
		return schema.StringAttribute{Required: required, Optional: optional, Computed: computed, Sensitive: member.Sensitive, Description: description, Validators: textValidators(of)}
	}
}

func writeOnlyAttribute(member contract.Member) schema.Attribute {
	description := fmt.Sprintf("The same as `%s`, but it is stored in no state and no plan. Needs OpenTofu or Terraform 1.11.", member.Name)
	if member.Type.Kind == contract.Map {
		return schema.MapAttribute{ElementType: element(member.Type), Optional: true, WriteOnly: true, Sensitive: true, Description: description}
	}
	return schema.StringAttribute{Optional: true, WriteOnly: true, Sensitive: true, Description: description}
}

// dataAttribute describes a member that is only read.
func dataAttribute(member contract.Member, required bool) datasource.Attribute {
	description := describe(member)
	switch of := member.Type; of.Kind {
	case contract.Integer:
		return datasource.Int64Attribute{Computed: true, Description: description}
	case contract.Number:
		return datasource.NumberAttribute{Computed: true, Description: description}
	case contract.Bool:
		return datasource.BoolAttribute{Computed: true, Description: description}
	case contract.List:
		return datasource.ListAttribute{ElementType: element(of), Computed: true, Description: description}
	case contract.Map:
		return datasource.MapAttribute{ElementType: element(of), Computed: true, Description: description}
	case contract.Object:
		inner := map[string]datasource.Attribute{}
		for _, one := range of.Members {
			inner[one.Name] = dataAttribute(one, false)
		}
		return datasource.SingleNestedAttribute{Attributes: inner, Computed: true, Description: description}
	default:
		return datasource.StringAttribute{Required: required, Computed: !required, Description: description}
	}
}

func element(of contract.Type) attr.Type {
	switch of.Of.Kind {
	case contract.Integer:
		return types.Int64Type
	default:
		return types.StringType
	}
}

func describe(member contract.Member) string {
	parts := []string{member.Description}
	if member.Type.Kind == contract.JSON {
		parts = append(parts, "In JSON: use `jsonencode`.")
	}
	if values := valuesOf(member.Type); len(values) > 0 {
		parts = append(parts, "Values: `"+strings.Join(values, "`, `")+"`.")
	}
	if member.Default != nil {
		parts = append(parts, "Default: `"+string(member.Default)+"`.")
	}
	if member.Input && member.Replace {
		parts = append(parts, "A change replaces the object.")
	}
	return strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), " ")
}

func valuesOf(of contract.Type) []string {
	if of.Kind == contract.List {
		return of.Of.Values
	}
	return of.Values
}

func textValidators(of contract.Type) []validator.String {
	if of.Kind == contract.JSON {
		return []validator.String{isJSON{}}
	}
	if len(of.Values) > 0 {
		return []validator.String{isOneOf{of.Values}}
	}
	return nil
}

func listValidators(of contract.Type) []validator.List {
	if len(of.Of.Values) == 0 {
		return nil
	}
	return []validator.List{isOneOf{of.Of.Values}}
}

type isJSON struct{}

func (isJSON) Description(context.Context) string         { return "JSON" }
func (isJSON) MarkdownDescription(context.Context) string { return "JSON" }

func (isJSON) ValidateString(_ context.Context, request validator.StringRequest, response *validator.StringResponse) {
	if request.ConfigValue.IsNull() || request.ConfigValue.IsUnknown() {
		return
	}
	if _, err := canonical([]byte(request.ConfigValue.ValueString())); err != nil {
		response.Diagnostics.AddAttributeError(request.Path, "This is not JSON", fmt.Sprintf("%v. Use jsonencode(…) for a value of the configuration.", err))
	}
}

// isOneOf refuses texts that the API does not know, before anything is sent.
type isOneOf struct{ values []string }

func (v isOneOf) Description(context.Context) string           { return strings.Join(v.values, ", ") }
func (v isOneOf) MarkdownDescription(c context.Context) string { return v.Description(c) }

func (v isOneOf) ValidateString(c context.Context, request validator.StringRequest, response *validator.StringResponse) {
	if value := request.ConfigValue; !value.IsNull() && !value.IsUnknown() && !slices.Contains(v.values, value.ValueString()) {
		response.Diagnostics.AddAttributeError(request.Path, "This value is not possible", fmt.Sprintf("%q is not one of: %s.", value.ValueString(), v.Description(c)))
	}
}

func (v isOneOf) ValidateList(c context.Context, request validator.ListRequest, response *validator.ListResponse) {
	for i, item := range request.ConfigValue.Elements() {
		text, ok := item.(types.String)
		if ok && !text.IsNull() && !text.IsUnknown() && !slices.Contains(v.values, text.ValueString()) {
			response.Diagnostics.AddAttributeError(request.Path.AtListIndex(i), "This value is not possible", fmt.Sprintf("%q is not one of: %s.", text.ValueString(), v.Description(c)))
		}
	}
}
