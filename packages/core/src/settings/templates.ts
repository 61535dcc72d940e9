/** Default texts of the password reset. Administrators can replace them in the settings. */

export const RESET_MAIL_TEXT = `Hello $user_name$,

somebody, probably you, asked for a new password for $application_name$.
To choose one, open this link within the next few minutes:

$link$

If it was not you, there is nothing to do: your password stays as it is.
`;

export const RESET_MAIL_HTML = `<p>Hello $user_name$,</p>
<p>somebody, probably you, asked for a new password for $application_name$.
To choose one, open this link within the next few minutes:</p>
<p><a href="$link$">$link$</a></p>
<p>If it was not you, there is nothing to do: your password stays as it is.</p>
`;

export const EMAIL_MAIL_TEXT = `Hello $user_name$,

the code that confirms this address for $application_name$ is

$code$

Or open this link within the next 15 minutes:

$link$

If you did not ask for it, there is nothing to do.
`;

export const EMAIL_MAIL_HTML = `<p>Hello $user_name$,</p>
<p>the code that confirms this address for $application_name$ is</p>
<p><strong>$code$</strong></p>
<p>Or open this link within the next 15 minutes:</p>
<p><a href="$link$">$link$</a></p>
<p>If you did not ask for it, there is nothing to do.</p>
`;

export const LOGIN_CODE_TEXT = `Hello $user_name$,

the code to log in to $application_name$ is

$code$

It works once, within the next 15 minutes, and only where you asked for it. Do not share it.

If you did not ask for it, there is nothing to do.
`;

export const LOGIN_CODE_HTML = `<p>Hello $user_name$,</p>
<p>the code to log in to $application_name$ is</p>
<p><strong>$code$</strong></p>
<p>It works once, within the next 15 minutes, and only where you asked for it. Do not share it.</p>
<p>If you did not ask for it, there is nothing to do.</p>
`;

export const GROUP_INVITATION_TEXT = `Hello,

$user_name$ invites you to the group "$group_name$" at $application_name$. The code of the invitation is

$code$

$link$

If you do not know $user_name$, there is nothing to do.
`;

export const GROUP_INVITATION_HTML = `<p>Hello,</p>
<p>$user_name$ invites you to the group "$group_name$" at $application_name$. The code of the invitation is</p>
<p><strong>$code$</strong></p>
<p><a href="$link$">$link$</a></p>
<p>If you do not know $user_name$, there is nothing to do.</p>
`;

export const EMAIL_CHANGED_TEXT = `Hello $user_name$,

your account at $application_name$ now has a different e-mail address. This one is no longer used.

If it was not you, choose a new password at once, and tell the operator of $application_name$.
`;

export const EMAIL_CHANGED_HTML = `<p>Hello $user_name$,</p>
<p>your account at $application_name$ now has a different e-mail address. This one is no longer used.</p>
<p>If it was not you, choose a new password at once, and tell the operator of $application_name$.</p>
`;

export const ERASE_MAIL_TEXT = `Hello $user_name$,

to delete your account at $application_name$ and all its data, open this link within the next few minutes:

$link$

If you did not ask for it, there is nothing to do: your account stays as it is.
`;

export const ERASE_MAIL_HTML = `<p>Hello $user_name$,</p>
<p>to delete your account at $application_name$ and all its data, open this link within the next few minutes:</p>
<p><a href="$link$">$link$</a></p>
<p>If you did not ask for it, there is nothing to do: your account stays as it is.</p>
`;

const HEAD = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>$application_name$</title>
<style>
body { font: 16px/1.5 system-ui, sans-serif; max-width: 24rem; margin: 10vh auto; padding: 0 1rem; color: #222; background: #fff; }
label, input, button { display: block; width: 100%; box-sizing: border-box; font: inherit; }
input { margin: .25rem 0 1rem; padding: .5rem; border: 1px solid #888; border-radius: .25rem; }
button { padding: .6rem; border: 0; border-radius: .25rem; background: #2f6b3c; color: #fff; }
.error { color: #a11; }
a[href=""] { display: none; }
</style>
</head>
<body>
<h1>$application_name$</h1>
`;

export const RESET_FORM = `${HEAD}<p>A new password for $user_name$</p>
<p class="error" role="alert">$error$</p>
<form method="post" action="$link$">
<label>New password <input type="password" name="$password$" autocomplete="new-password" autofocus></label>
<label>Once more <input type="password" name="$repeat_password$" autocomplete="new-password"></label>
<button>Set the password</button>
</form>
</body>
</html>
`;

export const EMAIL_PAGE = `${HEAD}<p>Is $email$ the address of $user_name$?</p>
<form method="post" action="$link$">
<button>Confirm the address</button>
</form>
<p>If you did not ask for this, close the page.</p>
</body>
</html>
`;

export const ERASE_FORM = `${HEAD}<p>Delete your account at $application_name$</p>
<p class="error" role="alert">$error$</p>
<form method="post" action="$link$">
<label>User name or e-mail address <input name="username" autocomplete="username" autofocus></label>
<button>Send me a link</button>
</form>
<p>The link is sent to the e-mail address of the account.</p>
</body>
</html>
`;

export const ERASE_PAGE = `${HEAD}<p>Delete the account $user_name$ and all its data?</p>
<form method="post" action="$link$">
<button>Delete the account</button>
</form>
<p>If you did not ask for this, close the page.</p>
</body>
</html>
`;

export const RESET_FEEDBACK = `${HEAD}<p>$message$</p>
<p class="error" role="alert">$error$</p>
<p><a href="$application_url$">Continue to $application_name$</a></p>
</body>
</html>
`;
