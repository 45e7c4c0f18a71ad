/* SPDX-License-Identifier: MIT */
#include "process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
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
install_handlers(void)
{
   static bool installed;
   if (installed)
      return;
   installed = true;
   struct sigaction action = {.sa_handler = pass_on, .sa_flags = SA_RESTART};
   for (unsigned s = 0; s < NUM_PASSED_ON; s++) {
      struct sigaction before;
      /* nohup and shells' background jobs ignore some of them; that stays so. */
      if (!sigaction(passed_on[s], NULL, &before) && before.sa_handler != SIG_IGN)
         sigaction(passed_on[s], &action, NULL);
   }
}

static void
block_signals(sigset_t *before)
{
   sigset_t blocked;
   sigemptyset(&blocked);
   for (unsigned s = 0; s < NUM_PASSED_ON; s++)
      sigaddset(&blocked, passed_on[s]);
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

/* In the new process: returns the error number only where it cannot be executed. */
static int
become(char *const argv[], const struct process_setup *setup, pid_t parent, int output,
       const sigset_t *signals)
{
   prctl(PR_SET_PDEATHSIG, SIGTERM);
   if (getppid() != parent)
      _exit(STATUS_FAILED);
   if (setup->background)
      setpgid(0, 0);
   if (setup->system_environment)
      environment_remove();
   environment_apply(setup->variables, setup->num_variables);
   if (setup->output == OUTPUT_PIPE && dup2(output, STDOUT_FILENO) < 0)
      return errno;
   if (setup->output == OUTPUT_NONE && !redirect(STDOUT_FILENO, "/dev/null"))
      return errno;
   if (setup->errors && !redirect(STDERR_FILENO, setup->errors))
      return errno;
   for (unsigned s = 0; s < NUM_PASSED_ON; s++) {
      struct sigaction now;
      if (!sigaction(passed_on[s], NULL, &now) && now.sa_handler == pass_on)
         signal(passed_on[s], SIG_DFL);
   }
   sigprocmask(SIG_SETMASK, signals, NULL);
   return process_become(argv);
}

int
process_become(char *const argv[])
{
   execvp(argv[0], argv);
   return errno;
}

int
process_start(struct process *process, char *const argv[], const struct process_setup *setup)
{
   int output[2] = {-1, -1}, report[2];
   sigset_t before;

   *process = (struct process){.output = -1};
   install_handlers();
   if (pipe2(report, O_CLOEXEC) || (setup->output == OUTPUT_PIPE && pipe2(output, O_CLOEXEC)))
      fail(STATUS_FAILED, "pipe: %s", strerror(errno));

   pid_t parent = getpid();
   block_signals(&before);
   pid_t id = fork();
   if (id < 0)
      fail(STATUS_FAILED, "fork: %s", strerror(errno));
   if (!id) {
      int error = become(argv, setup, parent, output[1], &before);
      _exit(write(report[1], &error, sizeof(error)) == sizeof(error) ? STATUS_FAILED : STATUS_NOT_EXECUTABLE);
   }
   set_running(0, id);
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
   if (process->output >= 0)
      close(process->output);
   process->output = -1;
   return WIFSIGNALED(status) ? STATUS_SIGNAL + WTERMSIG(status) : WEXITSTATUS(status);
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
process_explain(const char *program, int error)
{
   say("%s: cannot be executed: %s", program, strerror(error));
   return error == ENOENT ? STATUS_NOT_FOUND : STATUS_NOT_EXECUTABLE;
}

void
process_explain_signal(const char *program, int status)
{
   if (status > STATUS_SIGNAL && status < STATUS_SIGNAL + NSIG)
      say("%s: killed by signal %d (%s)", program, status - STATUS_SIGNAL, strsignal(status - STATUS_SIGNAL));
}
