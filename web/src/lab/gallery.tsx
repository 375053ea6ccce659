/** All examples, to begin with. */

import examples from "faircast:examples";

export function Gallery({ choose }: { choose: (text: string) => void }) {
  return (
    <ul class="lab-gallery">
      {examples.map(({ name, about, text }) => (
        <li key={name}>
          <button type="button" onClick={() => choose(text)}>
            <strong>{name}</strong>
            <span>{about}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}
