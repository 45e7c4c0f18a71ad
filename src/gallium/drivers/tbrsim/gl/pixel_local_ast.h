/* SPDX-License-Identifier: MIT */
/** The syntax of GL_EXT_shader_pixel_local_storage (pixel_local.h). */
#ifndef PIXEL_LOCAL_AST_H
#define PIXEL_LOCAL_AST_H

#include "ast.h"
#include "glsl_parser_extras.h"

/** What ast_type_qualifier.flags.q.pixel_local has. */
enum pixel_local_qualifier {
   PIXEL_LOCAL_IN = 1,  /**< __pixel_local_inEXT */
   PIXEL_LOCAL_OUT = 2, /**< __pixel_local_outEXT */
   PIXEL_LOCAL_BOTH = PIXEL_LOCAL_IN | PIXEL_LOCAL_OUT,
};

class ast_pixel_local_block : public ast_node {
 public:
   /** `members` are the declarations of a block; `instance` has its instance name, or none. */
   ast_pixel_local_block(_mesa_glsl_parse_state *state, unsigned qualifier, const char *name,
                         ast_declarator_list *members, const ast_interface_block *instance);
   virtual ir_rvalue *hir(exec_list *instructions, _mesa_glsl_parse_state *state);

   /** The layout qualifier before the block. */
   void set_layout(_mesa_glsl_parse_state *state, YYLTYPE *loc, const ast_type_qualifier &qualifiers);

 private:
   unsigned qualifier; /**< enum pixel_local_qualifier */
   const char *name;
   const ast_interface_block *instance;
   ast_struct_specifier *structure; /**< what the instance is; NULL: the members are variables of their own */
   exec_list members;               /**< ast_declarator_list; empty if there is a structure, which has them */
   enum pipe_format layout;         /**< of members without one */

   glsl_struct_field *take_layouts(_mesa_glsl_parse_state *state, exec_list *declarations, unsigned *count);
   void declare_members(exec_list *instructions, _mesa_glsl_parse_state *state, glsl_struct_field *fields,
                        unsigned count);
   void declare_instance(exec_list *instructions, _mesa_glsl_parse_state *state, glsl_struct_field *fields,
                         unsigned count);
   void check_fields(_mesa_glsl_parse_state *state, const glsl_struct_field *fields, unsigned count);
   void make_storage(ir_variable *variable, const glsl_type *block_type);
};

/** A layout qualifier's format, if the identifier is one of the extension's. */
bool pixel_local_parse_format(const char *identifier, ast_type_qualifier *layout);
/** layout(…) __pixel_localEXT; */
void pixel_local_set_default(_mesa_glsl_parse_state *state, YYLTYPE *loc, unsigned qualifier,
                             const ast_type_qualifier &layout);
/** An error where a qualifier of the extension is on what is no member of its blocks. */
void pixel_local_reject(_mesa_glsl_parse_state *state, YYLTYPE *loc, const ast_type_qualifier &qualifier);
/** After all of a shader: the errors that depend on what it accesses. */
void pixel_local_check(_mesa_glsl_parse_state *state, exec_list *instructions);

#endif
