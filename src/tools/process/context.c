/* SPDX-License-Identifier: MIT */
/** What tbrsim doctor runs: makes a context, or a Vulkan device, the way programs do, and prints what renders. It links EGL and
 * GLX, which the command does not. Vulkan's loader may be missing. */
#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GL/gl.h>
#include <GL/glx.h>
#include <X11/Xlib.h>
#include <vulkan/vulkan.h>

static _Noreturn void
give_up(const char *format, ...)
{
   va_list arguments;
   va_start(arguments, format);
   vfprintf(stderr, format, arguments);
   va_end(arguments);
   fputc('\n', stderr);
   exit(EXIT_FAILURE);
}

static void
print_renderer(const GLubyte *(*get_string)(GLenum name))
{
   const GLubyte *renderer = get_string ? get_string(GL_RENDERER) : NULL;
   const GLubyte *version = get_string ? get_string(GL_VERSION) : NULL;
   if (!renderer || !version)
      give_up("the context does not say what renders");
   printf("%s, %s\n", (const char *)renderer, (const char *)version);
}

static void
make_egl_context(void)
{
   static const EGLint attributes[] = {EGL_CONTEXT_CLIENT_VERSION, 3, EGL_NONE};
   EGLDisplay display = eglGetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, NULL, NULL);
   if (!display || !eglInitialize(display, NULL, NULL))
      give_up("no EGL display without a window system: error %#x", eglGetError());
   eglBindAPI(EGL_OPENGL_ES_API);
   EGLContext context = eglCreateContext(display, EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT, attributes);
   if (!context || !eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context))
      give_up("no context of OpenGL ES 3: error %#x", eglGetError());
   print_renderer((const GLubyte *(*)(GLenum))eglGetProcAddress("glGetString"));
   eglTerminate(display);
}

static void
make_glx_context(void)
{
   static int attributes[] = {GLX_RGBA, GLX_DOUBLEBUFFER, GLX_DEPTH_SIZE, 16, None};
   Display *display = XOpenDisplay(NULL);
   if (!display)
      give_up("the X server does not answer");
   XVisualInfo *visual = glXChooseVisual(display, DefaultScreen(display), attributes);
   if (!visual)
      give_up("the X server has no visual for OpenGL");
   const Window root = RootWindow(display, visual->screen);
   XSetWindowAttributes window_attributes = {
      .border_pixel = 0,
      .colormap = XCreateColormap(display, root, visual->visual, AllocNone),
   };
   const Window window = XCreateWindow(display, root, 0, 0, 16, 16, 0, visual->depth, InputOutput,
                                       visual->visual, CWBorderPixel | CWColormap, &window_attributes);
   GLXContext context = glXCreateContext(display, visual, NULL, True);
   if (!context || !glXMakeCurrent(display, window, context))
      give_up("no context of OpenGL");
   print_renderer(glGetString);
   glXMakeCurrent(display, None, NULL);
   glXDestroyContext(display, context);
   XDestroyWindow(display, window);
   XFree(visual);
   XCloseDisplay(display);
}

#define FUNCTION(name) PFN_##name name = (PFN_##name)get_address(instance, #name)

static PFN_vkGetInstanceProcAddr
open_vulkan(void)
{
   void *loader = dlopen("libvulkan.so.1", RTLD_NOW);
   if (!loader)
      give_up("%s", dlerror());
   PFN_vkGetInstanceProcAddr get_address = (PFN_vkGetInstanceProcAddr)dlsym(loader, "vkGetInstanceProcAddr");
   if (!get_address)
      give_up("Vulkan's loader has no vkGetInstanceProcAddr");
   return get_address;
}

static void
make_vulkan_device(void)
{
   VkInstance instance = NULL;
   const PFN_vkGetInstanceProcAddr get_address = open_vulkan();
   FUNCTION(vkCreateInstance);
   const VkInstanceCreateInfo instance_info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
   if (!vkCreateInstance || vkCreateInstance(&instance_info, NULL, &instance))
      give_up("no instance of Vulkan");
   FUNCTION(vkEnumeratePhysicalDevices);
   FUNCTION(vkGetPhysicalDeviceProperties);
   FUNCTION(vkCreateDevice);
   FUNCTION(vkDestroyDevice);
   FUNCTION(vkDestroyInstance);
   VkPhysicalDevice physical;
   uint32_t count = 1;
   if (vkEnumeratePhysicalDevices(instance, &count, &physical) < 0 || !count)
      give_up("no device of Vulkan");
   const float priority = 1.0f;
   const VkDeviceQueueCreateInfo queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                          .queueCount = 1,
                                          .pQueuePriorities = &priority};
   const VkDeviceCreateInfo device_info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                           .queueCreateInfoCount = 1,
                                           .pQueueCreateInfos = &queue};
   VkDevice device;
   if (vkCreateDevice(physical, &device_info, NULL, &device))
      give_up("the device of Vulkan cannot be used");
   VkPhysicalDeviceProperties properties;
   vkGetPhysicalDeviceProperties(physical, &properties);
   printf("%s, Vulkan %u.%u\n", properties.deviceName, VK_API_VERSION_MAJOR(properties.apiVersion),
          VK_API_VERSION_MINOR(properties.apiVersion));
   vkDestroyDevice(device, NULL);
   vkDestroyInstance(instance, NULL);
}

/* Without a compositor: whether there are surfaces for one. */
static void
look_for_wayland(void)
{
   const VkInstance instance = NULL;
   const PFN_vkGetInstanceProcAddr get_address = open_vulkan();
   FUNCTION(vkEnumerateInstanceExtensionProperties);
   VkExtensionProperties extensions[128];
   uint32_t count = sizeof extensions / sizeof extensions[0];
   if (!vkEnumerateInstanceExtensionProperties ||
       vkEnumerateInstanceExtensionProperties(NULL, &count, extensions) < 0)
      give_up("no extensions of Vulkan");
   for (uint32_t i = 0; i < count; i++) {
      if (!strcmp(extensions[i].extensionName, "VK_KHR_wayland_surface")) {
         puts("VK_KHR_wayland_surface");
         return;
      }
   }
   give_up("no VK_KHR_wayland_surface: Mesa was built with wayland-protocols before 1.38");
}

int
main(int argc, char **argv)
{
   if (argc == 2 && !strcmp(argv[1], "egl"))
      make_egl_context();
   else if (argc == 2 && !strcmp(argv[1], "glx"))
      make_glx_context();
   else if (argc == 2 && !strcmp(argv[1], "vulkan"))
      make_vulkan_device();
   else if (argc == 2 && !strcmp(argv[1], "wayland"))
      look_for_wayland();
   else
      give_up("usage: tbrsim-context egl|glx|vulkan|wayland");
   return EXIT_SUCCESS;
}
