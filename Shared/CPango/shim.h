#pragma once
#include <cairo/cairo-pdf.h>
#include <cairo/cairo.h>

// Declarations of Pango and GObject. Their headers need include paths that only pkg-config knows,
// and its flag -pthread would print a warning in each build. These functions are part of the stable
// interface of Pango 1.

typedef struct _PangoLayout PangoLayout;
typedef struct _PangoFontDescription PangoFontDescription;

PangoLayout *pango_cairo_create_layout(cairo_t *cr);
void pango_cairo_show_layout(cairo_t *cr, PangoLayout *layout);
void pango_layout_set_text(PangoLayout *layout, const char *text, int length);
// In 1/1024 points; -1 = no limit.
void pango_layout_set_width(PangoLayout *layout, int width);
// 2 = between words, otherwise between characters.
void pango_layout_set_wrap(PangoLayout *layout, int wrap);
void pango_layout_set_font_description(PangoLayout *layout, const PangoFontDescription *font);
// In 1/1024 points.
void pango_layout_get_size(PangoLayout *layout, int *width, int *height);
int pango_layout_get_unknown_glyphs_count(PangoLayout *layout);
PangoFontDescription *pango_font_description_from_string(const char *text);
void pango_font_description_free(PangoFontDescription *font);
void g_object_unref(void *object);
