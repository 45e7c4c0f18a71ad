/* SPDX-License-Identifier: MIT */
#include "pixel_local_ast.h"

#include "ir.h"
#include "ir_hierarchical_visitor.h"
#include "util/format/u_format.h"
#include "pixel_local.h"

/* ---- formats ------------------------------------------------------------ */

static const struct {
   const char *identifier;
   enum pipe_format format;
   enum glsl_base_type type;
   unsigned components;
} formats[] = {
   {"r32ui", PIPE_FORMAT_R32_UINT, GLSL_TYPE_UINT, 1},
   {"r11f_g11f_b10f", PIPE_FORMAT_R11G11B10_FLOAT, GLSL_TYPE_FLOAT, 3},
   {"r32f", PIPE_FORMAT_R32_FLOAT, GLSL_TYPE_FLOAT, 1},
   {"rg16f", PIPE_FORMAT_R16G16_FLOAT, GLSL_TYPE_FLOAT, 2},
   {"rgb10_a2", PIPE_FORMAT_R10G10B10A2_UNORM, GLSL_TYPE_FLOAT, 4},
   {"rgba8", PIPE_FORMAT_R8G8B8A8_UNORM, GLSL_TYPE_FLOAT, 4},
   {"rg16", PIPE_FORMAT_R16G16_UNORM, GLSL_TYPE_FLOAT, 2},
   {"rgba8i", PIPE_FORMAT_R8G8B8A8_SINT, GLSL_TYPE_INT, 4},
   {"rg16i", PIPE_FORMAT_R16G16_SINT, GLSL_TYPE_INT, 2},
   {"rgb10_a2ui", PIPE_FORMAT_R10G10B10A2_UINT, GLSL_TYPE_UINT, 4},
   {"rgba8ui", PIPE_FORMAT_R8G8B8A8_UINT, GLSL_TYPE_UINT, 4},
   {"rg16ui", PIPE_FORMAT_R16G16_UINT, GLSL_TYPE_UINT, 2},
};

bool
pixel_local_parse_format(const char *identifier, ast_type_qualifier *layout)
{
   for (const auto &format : formats) {
      if (strcmp(format.identifier, identifier) != 0)
         continue;
      layout->flags.q.explicit_image_format = 1;
      layout->image_format = format.format;
      /* No image may have what is not a format of images without the extension. */
      layout->image_base_type = GLSL_TYPE_ERROR;
      return true;
   }
   return false;
}

/** The format of a layout qualifier, which may have nothing else. */
static enum pipe_format
layout_format(_mesa_glsl_parse_state *state, YYLTYPE *loc, const ast_type_qualifier &layout)
{
   ast_type_qualifier rest = layout;
   rest.flags.q.explicit_image_format = 0;
   if (layout.flags.q.explicit_image_format && !rest.flags.i) {
      for (const auto &format : formats) {
         if (format.format == layout.image_format)
            return format.format;
      }
   }
   _mesa_glsl_error(loc, state, "not a layout qualifier of pixel local storage");
   return PIPE_FORMAT_NONE;
}

static bool
matches_format(const glsl_type *type, enum pipe_format format)
{
   for (const auto &known : formats) {
      if (known.format == format)
         return known.type == type->base_type && known.components == type->vector_elements &&
                type->matrix_columns == 1;
   }
   return false;
}

void
pixel_local_set_default(_mesa_glsl_parse_state *state, YYLTYPE *loc, unsigned qualifier,
                        const ast_type_qualifier &layout)
{
   state->pixel_local_layouts[qualifier] = layout_format(state, loc, layout);
}

void
pixel_local_reject(_mesa_glsl_parse_state *state, YYLTYPE *loc, const ast_type_qualifier &qualifier)
{
   if (qualifier.flags.q.pixel_local)
      _mesa_glsl_error(loc, state, "pixel local storage variables can only be declared in blocks of it");
}

/* ---- blocks --------------------------------------------------------------- */

ast_pixel_local_block::ast_pixel_local_block(_mesa_glsl_parse_state *state, unsigned qualifier,
                                             const char *name, ast_declarator_list *members,
                                             const ast_interface_block *instance)
   : qualifier(qualifier), name(name), instance(instance), structure(NULL),
     layout(state->pixel_local_layouts[qualifier])
{
   if (layout == PIPE_FORMAT_NONE)
      layout = PIPE_FORMAT_R32_UINT;
   if (instance->instance_name)
      structure = new (state->linalloc) ast_struct_specifier("#anon_pixel_local", members);
   else
      this->members.push_degenerate_list_at_head(&members->link);
}

void
ast_pixel_local_block::set_layout(_mesa_glsl_parse_state *state, YYLTYPE *loc,
                                  const ast_type_qualifier &qualifiers)
{
   layout = layout_format(state, loc, qualifiers);
}

/** Takes the members' layout and storage qualifiers, so that what is left declares variables. Returns fields with names
 * and formats. */
glsl_struct_field *
ast_pixel_local_block::take_layouts(_mesa_glsl_parse_state *state, exec_list *declarations, unsigned *count)
{
   *count = 0;
   foreach_list_typed(ast_declarator_list, list, link, declarations) *count += list->declarations.length();
   glsl_struct_field *fields = rzalloc_array(state, glsl_struct_field, *count);

   unsigned i = 0;
   foreach_list_typed(ast_declarator_list, list, link, declarations)
   {
      ast_type_qualifier *given = &list->type->qualifier;
      YYLTYPE loc = list->get_location();
      if (given->flags.q.pixel_local && given->flags.q.pixel_local != qualifier)
         _mesa_glsl_error(&loc, state, "a member's storage qualifier is not that of its block");
      given->flags.q.pixel_local = 0;
      const enum pipe_format format = given->flags.i ? layout_format(state, &loc, *given) : layout;
      given->flags.i = 0;
      foreach_list_typed(ast_declaration, declaration, link, &list->declarations)
      {
         fields[i].name = declaration->identifier;
         fields[i++].image_format = format;
      }
   }
   return fields;
}

/** Makes a variable of the shader, which to Mesa is one that can be optimised away, an output with the block's members
 * as its interface: pixel_local_lower knows it by that. */
void
ast_pixel_local_block::make_storage(ir_variable *variable, const glsl_type *block_type)
{
   variable->data.mode = ir_var_shader_out;
   variable->data.read_only = qualifier == PIXEL_LOCAL_IN;
   variable->data.memory_write_only = qualifier == PIXEL_LOCAL_OUT;
   /* No warning that it is read and not written. */
   variable->data.assigned = qualifier & PIXEL_LOCAL_IN;
   variable->init_interface_type(block_type);
}

void
ast_pixel_local_block::declare_members(exec_list *instructions, _mesa_glsl_parse_state *state,
                                       glsl_struct_field *fields, unsigned count)
{
   foreach_list_typed(ast_declarator_list, list, link, &members) list->hir(instructions, state);
   if (state->error)
      return;
   for (unsigned i = 0; i < count; i++)
      fields[i].type = state->symbols->get_variable(fields[i].name)->type;
   check_fields(state, fields, count);
   const glsl_type *type = glsl_struct_type(fields, count, name, false);
   for (unsigned i = 0; i < count; i++)
      make_storage(state->symbols->get_variable(fields[i].name), type);
}

void
ast_pixel_local_block::declare_instance(exec_list *instructions, _mesa_glsl_parse_state *state,
                                        glsl_struct_field *fields, unsigned count)
{
   ast_fully_specified_type *type = new (state->linalloc) ast_fully_specified_type();
   type->specifier = new (state->linalloc) ast_type_specifier(structure);
   ast_declarator_list *list = new (state->linalloc) ast_declarator_list(type);
   ast_declaration *declaration = new (state->linalloc) ast_declaration(instance->instance_name, NULL, NULL);
   list->set_location(get_location());
   declaration->set_location(get_location());
   list->declarations.push_tail(&declaration->link);
   list->hir(instructions, state);
   if (state->error)
      return;

   ir_variable *variable = state->symbols->get_variable(instance->instance_name);
   for (unsigned i = 0; i < count; i++) {
      const enum pipe_format format = fields[i].image_format;
      fields[i] = variable->type->fields.structure[i];
      fields[i].image_format = format;
   }
   check_fields(state, fields, count);
   variable->type = glsl_struct_type(fields, count, name, false);
   make_storage(variable, variable->type);
}

/** Words of a member, or more than there are. */
static unsigned
count_words(const glsl_type *type)
{
   unsigned words = 1;
   for (; glsl_type_is_array(type) && words <= PIXEL_LOCAL_WORDS; type = glsl_get_array_element(type))
      words *= MIN2(type->length, PIXEL_LOCAL_WORDS + 1);
   return words;
}

void
ast_pixel_local_block::check_fields(_mesa_glsl_parse_state *state, const glsl_struct_field *fields,
                                    unsigned count)
{
   YYLTYPE loc = get_location();
   unsigned words = 0;
   for (unsigned i = 0; i < count; i++) {
      if (!matches_format(glsl_without_array(fields[i].type), fields[i].image_format))
         _mesa_glsl_error(&loc, state, "`%s' has another type than its format %s", fields[i].name,
                          util_format_short_name(fields[i].image_format));
      if (glsl_type_is_unsized_array(fields[i].type))
         _mesa_glsl_error(&loc, state, "`%s' has no size", fields[i].name);
      words += count_words(fields[i].type);
   }
   if (words > PIXEL_LOCAL_WORDS)
      _mesa_glsl_error(&loc, state, "`%s' needs more than the %u bytes of pixel local storage", name,
                       PIXEL_LOCAL_BYTES);
}

ir_rvalue *
ast_pixel_local_block::hir(exec_list *instructions, _mesa_glsl_parse_state *state)
{
   YYLTYPE loc = get_location();
   if (state->stage != MESA_SHADER_FRAGMENT || !state->es_shader || state->language_version < 300)
      _mesa_glsl_error(&loc, state, "pixel local storage is of fragment shaders of GLSL ES 3.00 and later");
   if (state->pixel_local_declared & qualifier)
      _mesa_glsl_error(&loc, state, "more than one block of pixel local storage");
   state->pixel_local_declared |= qualifier;
   if (instance->array_specifier)
      _mesa_glsl_error(&loc, state, "a block of pixel local storage cannot be an array");

   unsigned count;
   exec_list *declarations = structure ? &structure->declarations : &members;
   glsl_struct_field *fields = take_layouts(state, declarations, &count);
   if (state->error)
      return NULL;
   if (structure)
      declare_instance(instructions, state, fields, count);
   else
      declare_members(instructions, state, fields, count);
   return NULL;
}

/* ---- accesses ------------------------------------------------------------- */

static bool
is_storage(const ir_variable *variable)
{
   return variable->data.mode == ir_var_shader_out && variable->get_interface_type();
}

namespace {

/** Looks for what a fragment shader statically accesses. */
class access_visitor : public ir_hierarchical_visitor {
 public:
   bool accesses_storage = false;
   const ir_variable *written_output = NULL, *written_storage = NULL;
   const ir_variable *unreadable = NULL; /**< write-only storage that is read */

   virtual ir_visitor_status
   visit(ir_dereference_variable *ir)
   {
      if (!is_storage(ir->var))
         return visit_continue;
      accesses_storage = true;
      if (!in_assignee && ir->var->data.memory_write_only)
         unreadable = ir->var;
      return visit_continue;
   }

   virtual ir_visitor_status
   visit_enter(ir_assignment *ir)
   {
      note_write(ir->lhs->variable_referenced());
      return visit_continue;
   }

   virtual ir_visitor_status
   visit_enter(ir_call *ir)
   {
      foreach_two_lists(formal_node, &ir->callee->parameters, actual_node, &ir->actual_parameters)
      {
         const ir_variable *formal = (const ir_variable *)formal_node;
         ir_rvalue *actual = (ir_rvalue *)actual_node;
         const bool written = formal->data.mode == ir_var_function_out;
         if (written || formal->data.mode == ir_var_function_inout)
            note_write(actual->variable_referenced());
         in_assignee = written;
         actual->accept(this);
         in_assignee = false;
      }
      return visit_continue_with_parent;
   }

   /** A component that is assigned by its index: the others are not read, but stay. */
   virtual ir_visitor_status
   visit_enter(ir_expression *ir)
   {
      if (ir->operation != ir_triop_vector_insert)
         return visit_continue;
      ir->operands[1]->accept(this);
      ir->operands[2]->accept(this);
      return visit_continue_with_parent;
   }

 private:
   void
   note_write(const ir_variable *variable)
   {
      if (is_storage(variable))
         written_storage = variable;
      else if (variable->data.mode == ir_var_shader_out && strncmp(variable->name, "gl_", 3) != 0)
         written_output = variable;
   }
};

} /* namespace */

void
pixel_local_check(_mesa_glsl_parse_state *state, exec_list *instructions)
{
   if (!state->pixel_local_declared || state->error)
      return;
   access_visitor found;
   found.run(instructions);
   YYLTYPE loc = {};
   if (found.unreadable)
      _mesa_glsl_error(&loc, state, "`%s' of a __pixel_local_outEXT block is read", found.unreadable->name);
   if (found.written_output && found.written_storage)
      _mesa_glsl_error(&loc, state, "the shader writes both the output `%s' and pixel local storage, `%s'",
                       found.written_output->name, found.written_storage->name);
   /* The draws that need the storage are known by this: nothing else makes accesses at a pixel be in order. */
   state->fs_pixel_interlock_ordered = found.accesses_storage;
}
