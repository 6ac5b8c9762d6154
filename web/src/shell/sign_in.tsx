/** For a browser that the board does not know: how to get in. */
import "./sign_in.css";

export function SignIn() {
  return (
    <main class="sign-in">
      <h1>This board does not know your browser yet</h1>
      <p>In a terminal, in the project's folder:</p>
      <pre>moot token link</pre>
      <p>It prints a link that signs one browser in, once, within ten minutes. Open it here. There is no account and no password.</p>
      <button type="button" class="button" onClick={() => location.reload()}>
        Try again
      </button>
    </main>
  );
}
