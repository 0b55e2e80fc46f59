/* What Material leaves out for those who use a keyboard or a screen reader: names, and tables that can be scrolled. */
"use strict";
document.querySelector(".md-search")?.setAttribute("aria-label", "Search");
const reachable = () => document.querySelectorAll(".md-typeset__scrollwrap:not([tabindex])").forEach(one => one.setAttribute("tabindex", "0"));
new MutationObserver(reachable).observe(document.querySelector(".md-content"), {childList: true, subtree: true});
reachable();

/* The versions of the documentation are folders beside this one, listed in versions.js: a script, which browsers load from files too. */
(() => {
  const home = new URL(".", document.querySelector('script[src$="site.js"]').src);
  const list = Object.assign(document.createElement("script"), {src: new URL("../versions.js", home).href});
  list.onload = () => {
    const here = decodeURIComponent(location.pathname.slice(home.pathname.length)) || "index.html";
    const chooser = document.createElement("select");
    chooser.className = "version";
    chooser.setAttribute("aria-label", "Version of the documentation");
    for (const {name, pages} of window.doxevalVersions) {
      const choice = new Option(name, new URL(`../${name}/${pages.includes(here) ? here : "index.html"}`, home).href);
      choice.selected = home.pathname.endsWith(`/${name}/`);
      chooser.append(choice);
    }
    chooser.addEventListener("change", () => { location.href = chooser.value; });
    document.querySelector(".md-header__title")?.after(chooser);
  };
  document.head.append(list);
})();
