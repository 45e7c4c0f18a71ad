/* SPDX-License-Identifier: MIT */
#include "process/process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tools.h"

#define MAX_PROCESSES 8

/* The running programs that signals are passed on to. */
static volatile pid_t running[MAX_PROCESSES];
static volatile sig_atomic_t interrupted;

static const int passed_on[] = {SIGINT, SIGTERM, SIGHUP};
#define NUM_PASSED_ON (sizeof(passed_on) / sizeof(passed_on[0]))

/* The program that the command stands for; 0: none. These are all signals that are handled. */
static volatile pid_t stood_for;
static const int passed_through[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM, SIGTSTP};
#define NUM_PASSED_THROUGH (sizeof(passed_through) / sizeof(passed_through[0]))

/* What the kernel sends, from the terminal, the program gets as well: it is of the same group. */
static void
pass_through(int number, siginfo_t *information, void *context)
{
   int error = errno;
   if (stood_for && information->si_code != SI_KERNEL)
      kill(stood_for, number);
   errno = error;
}

static void
pass_on(int number)
{
   int error = errno;
   /* A program that does not end when it is asked to ends at the second time. */
   int sent = interrupted ? SIGKILL : number;
   interrupted = number;
   for (unsigned p = 0; p < MAX_PROCESSES; p++) {
      if (running[p])
         kill(running[p], sent);
   }
   errno = error;
}

static void
install_handler(int number, const struct sigaction *action)
{
   struct sigaction before;
   /* nohup and shells' background jobs ignore some of them; that stays so. */
   if (!sigaction(number, NULL, &before) && before.sa_handler != SIG_IGN)
      sigaction(number, action, NULL);
}

static void
install_handlers(bool stands_for)
{
   static enum { HANDLERS_NONE, HANDLERS_ON, HANDLERS_THROUGH } installed;
   const struct sigaction on = {.sa_handler = pass_on, .sa_flags = SA_RESTART};
   const struct sigaction through = {.sa_sigaction = pass_through, .sa_flags = SA_RESTART | SA_SIGINFO};
   const struct sigaction none = {.sa_handler = SIG_DFL};
   /* The program that the command stood for has ended. */
   const bool stood = installed == HANDLERS_THROUGH && !stood_for;
   for (unsigned s = 0; !stands_for && stood && s < NUM_PASSED_THROUGH; s++)
      install_handler(passed_through[s], &none);
   for (unsigned s = 0; !stands_for && (stood || !installed) && s < NUM_PASSED_ON; s++)
      install_handler(passed_on[s], &on);
   for (unsigned s = 0; stands_for && s < NUM_PASSED_THROUGH; s++)
      install_handler(passed_through[s], &through);
   if (stands_for)
      installed = HANDLERS_THROUGH;
   else if (stood || !installed)
      installed = HANDLERS_ON;
}

static void
block_signals(sigset_t *before)
{
   sigset_t blocked;
   sigemptyset(&blocked);
   for (unsigned s = 0; s < NUM_PASSED_THROUGH; s++)
      sigaddset(&blocked, passed_through[s]);
   sigprocmask(SIG_BLOCK, &blocked, before);
}

static void
set_running(pid_t from, pid_t to)
{
   for (unsigned p = 0; p < MAX_PROCESSES; p++) {
      if (running[p] == from) {
         running[p] = to;
         return;
      }
   }
   fail(STATUS_FAILED, "too many programs at once");
}

static bool
redirect(int target, const char *path)
{
   int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
   return file >= 0 && dup2(file, target) >= 0;
}

static bool
has_pipe(const struct process_setup *setup)
{
   return setup->output == OUTPUT_PIPE || setup->output == OUTPUT_PIPE_ALL;
}

/* In the new process: returns the error number only where it cannot be executed. */
static int
become(char *const argv[], const struct process_setup *setup, pid_t parent, int output,
       const sigset_t *signals)
{
   prctl(PR_SET_PDEATHSIG, setup->killed_with_command ? SIGKILL : SIGTERM);
   if (getppid() != parent)
      _exit(STATUS_FAILED);
   if (setup->background)
      setpgid(0, 0);
   if (setup->system_environment)
      environment_remove();
   environment_apply(setup->variables, setup->num_variables);
   if (has_pipe(setup) && dup2(output, STDOUT_FILENO) < 0)
      return errno;
   if (setup->output == OUTPUT_PIPE_ALL && dup2(output, STDERR_FILENO) < 0)
      return errno;
   if (setup->output == OUTPUT_NONE && !redirect(STDOUT_FILENO, "/dev/null"))
      return errno;
   if (setup->errors && !redirect(STDERR_FILENO, setup->errors))
      return errno;
   if (setup->output == OUTPUT_ERRORS && dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
      return errno;
   for (unsigned s = 0; s < NUM_PASSED_THROUGH; s++) {
      struct sigaction now;
      if (!sigaction(passed_through[s], NULL, &now) && now.sa_handler != SIG_IGN)
         signal(passed_through[s], SIG_DFL);
   }
   sigprocmask(SIG_SETMASK, signals, NULL);
   execvp(argv[0], argv);
   return errno;
}

int
process_start(struct process *process, char *const argv[], const struct process_setup *setup)
{
   int output[2] = {-1, -1}, report[2];
   sigset_t before;

   *process = (struct process){.output = -1};
   block_signals(&before);
   install_handlers(setup->stands_for);
   if (pipe2(report, O_CLOEXEC) || (has_pipe(setup) && pipe2(output, O_CLOEXEC)))
      fail(STATUS_FAILED, "pipe: %s", strerror(errno));

   pid_t parent = getpid();
   pid_t id = fork();
   if (id < 0)
      fail(STATUS_FAILED, "fork: %s", strerror(errno));
   if (!id) {
      int error = become(argv, setup, parent, output[1], &before);
      _exit(write(report[1], &error, sizeof(error)) == sizeof(error) ? STATUS_FAILED : STATUS_NOT_EXECUTABLE);
   }
   set_running(0, id);
   if (setup->stands_for)
      stood_for = id;
   sigprocmask(SIG_SETMASK, &before, NULL);

   close(report[1]);
   if (output[1] >= 0)
      close(output[1]);
   *process = (struct process){.id = id, .output = output[0]};

   /* Executing it closes the pipe; what can be read is the error. */
   int error = 0;
   if (read(report[0], &error, sizeof(error)) == sizeof(error))
      process_wait(process);
   close(report[0]);
   return error;
}

static int
finished(struct process *process, int status)
{
   set_running(process->id, 0);
   process->id = 0;
   process->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
   if (process->output >= 0)
      close(process->output);
   process->output = -1;
   return WIFSIGNALED(status) ? STATUS_SIGNAL + WTERMSIG(status) : WEXITSTATUS(status);
}

/* A shell sees the command alone: it stops when the program does. */
static void
stop_with(pid_t id)
{
   int status;
   /* Where both were stopped and go on, the program may have to be waited for. */
   nanosleep(&(struct timespec){.tv_nsec = 20 * 1000 * 1000}, NULL);
   siginfo_t information = {0};
   if (waitid(P_PID, id, &information, WEXITED | WSTOPPED | WNOHANG | WNOWAIT) ||
       information.si_code != CLD_STOPPED)
      return;
   waitpid(id, &status, WUNTRACED | WNOHANG);
   kill(getpid(), SIGSTOP);
   kill(id, SIGCONT);
}

void
process_leave_output(void)
{
   redirect(STDOUT_FILENO, "/dev/null");
}

int
process_wait_as_it(struct process *process)
{
   for (;;) {
      siginfo_t information = {0};
      int error = waitid(P_PID, process->id, &information, WEXITED | WSTOPPED | WNOWAIT);
      if (!error && information.si_code == CLD_STOPPED)
         stop_with(process->id);
      else if (!error || errno != EINTR)
         break;
   }
   stood_for = 0;
   return process_wait(process);
}

void
process_end_by(int number)
{
   if (!number)
      return;
   /* The program has left a core, if any is wanted. */
   setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
   signal(number, SIG_DFL);
   sigset_t set;
   sigemptyset(&set);
   sigaddset(&set, number);
   sigprocmask(SIG_UNBLOCK, &set, NULL);
   fflush(NULL);
   raise(number);
}

int
process_wait(struct process *process)
{
   int status;
   while (waitpid(process->id, &status, 0) < 0) {
      if (errno != EINTR)
         fail(STATUS_FAILED, "waitpid: %s", strerror(errno));
   }
   return finished(process, status);
}

bool
process_running(struct process *process)
{
   siginfo_t information = {0};
   return process->id && !waitid(P_PID, process->id, &information, WEXITED | WNOHANG | WNOWAIT) &&
          !information.si_pid;
}

void
process_stop(struct process *process)
{
   if (!process->id)
      return;
   kill(process->id, SIGTERM);
   for (int wait = 0; wait < 300 && process_running(process); wait++)
      nanosleep(&(struct timespec){.tv_nsec = 10 * 1000 * 1000}, NULL);
   if (process_running(process))
      kill(process->id, SIGKILL);
   process_wait(process);
}

int
process_interrupted(void)
{
   return interrupted;
}

int
process_explain(const char *program, const char *hint, int error)
{
   say("%s: cannot be executed: %s%s", program, strerror(error), hint);
   return error == ENOENT ? STATUS_NOT_FOUND : STATUS_NOT_EXECUTABLE;
}

void
process_explain_signal(const char *program, int status)
{
   if (status > STATUS_SIGNAL && status < STATUS_SIGNAL + NSIG)
      say("%s: killed by signal %d (%s)", program, status - STATUS_SIGNAL, strsignal(status - STATUS_SIGNAL));
}
